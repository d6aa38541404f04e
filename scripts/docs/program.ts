import { existsSync } from 'node:fs'
import ts from 'typescript'

/** The entry points of the package and their source files. */
const entryFiles: Record<string, string> = {
  'payments-client': 'src/index.ts',
  'payments-client/webhooks': 'src/webhooks/index.ts',
  'payments-client/sandbox': 'src/sandbox/index.ts',
  'payments-client/msw': 'src/msw.ts',
  'payments-client/sqlite': 'src/stores/sqlite.ts',
  'payments-client/redis': 'src/stores/redis.ts',
  'payments-client/postgres': 'src/stores/postgres.ts',
  'payments-client/opentelemetry': 'src/observability/opentelemetry.ts',
}

const root = 'scripts/docs/clients.ts'
const clients = `
  import type { PaymentsClient } from '../../src/index.js'
  export declare const clients: { '2021-09-27': PaymentsClient, '2.1': PaymentsClient<'2.1'> }
`

const { config } = ts.readConfigFile('tsconfig.json', ts.sys.readFile)
const { options } = ts.parseJsonConfigFileContent(config, ts.sys, '.')
const host = ts.createCompilerHost(options)
const { getSourceFile } = host
host.getSourceFile = (file, target) =>
  file === root ? ts.createSourceFile(file, clients, target) : getSourceFile.call(host, file, target)
const files = Object.values(entryFiles).filter((file) => existsSync(file))
export const program = ts.createProgram([root, ...files], options, host)

export const checker = program.getTypeChecker()

const [clientsSymbol] = exportsOf(root)
const clientTypes = checker.getTypeOfSymbol(clientsSymbol!)

/** Returns the type of the client for an API version. */
export function clientOf(version: '2021-09-27' | '2.1'): ts.Type {
  return checker.getTypeOfSymbol(clientTypes.getProperty(version)!)
}

/** The exported symbols of each entry point, by name. A name that two entry points export appears only under the first. */
export const entries = new Map<string, ReadonlyMap<string, ts.Symbol>>()

const seen = new Set<string>()
for (const [entry, file] of Object.entries(entryFiles)) {
  if (!existsSync(file)) continue
  const symbols = exportsOf(file).filter(
    ({ name }) => name !== 'webhooks' && !(entry.endsWith('/webhooks') && seen.has(name)),
  )
  for (const { name } of symbols) seen.add(name)
  entries.set(entry, new Map(symbols.map((symbol) => [symbol.name, resolved(symbol)])))
}

function exportsOf(file: string): ts.Symbol[] {
  return checker.getExportsOfModule(checker.getSymbolAtLocation(program.getSourceFile(file)!)!)
}

function resolved(symbol: ts.Symbol): ts.Symbol {
  return symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol
}
