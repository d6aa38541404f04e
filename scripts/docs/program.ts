import ts from 'typescript'
import { entries as sources } from '../entries.js'

export const entryFiles = new Map(
  Object.entries(sources).map(([name, file]) => [
    name === 'index' ? 'payments-client' : `payments-client/${name}`,
    file,
  ]),
)

const root = 'scripts/docs/clients.ts'
const clients = `
  import type { PaymentsClient } from '../../src/index.js'
  export declare const clients: { '2021-09-27': PaymentsClient, '2.1': PaymentsClient<'2.1'> }
`

const { config } = ts.readConfigFile('tsconfig.json', ts.sys.readFile)
const { options } = ts.parseJsonConfigFileContent(config, ts.sys, '.')
// The API report needs the emitted declarations.
Object.assign(options, { noEmit: false, declaration: true, emitDeclarationOnly: true, stripInternal: true })
const host = ts.createCompilerHost(options)
const { getSourceFile } = host
host.getSourceFile = (file, target) =>
  file === root ? ts.createSourceFile(file, clients, target) : getSourceFile.call(host, file, target)
export const program = ts.createProgram([root, ...entryFiles.values()], options, host)

export const checker = program.getTypeChecker()

const [clientsSymbol] = exportsOf(root)
const clientTypes = checker.getTypeOfSymbol(clientsSymbol!)

export function clientOf(version: '2021-09-27' | '2.1'): ts.Type {
  return checker.getTypeOfSymbol(clientTypes.getProperty(version)!)
}

/**
 * The exported symbols of each entry point, by name. A name that two entry points export appears only under the first.
 *
 * Omits the entry point of the schemas, because each schema has the same name as its type.
 */
export const entries = new Map<string, ReadonlyMap<string, ts.Symbol>>()

const seen = new Set<string>()
for (const [entry, file] of entryFiles) {
  if (entry === 'payments-client/schemas') continue
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
