/**
 * The TypeScript program of the type declarations. The reference, API report and OpenAPI documents are written from it.
 */
import { execFileSync } from 'node:child_process'
import { rmSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import ts from 'typescript'
import { entries } from '../../tsup.config.js'

/** The folder with the type declarations of each module of src. */
const emitted = '.build/types'

rmSync(emitted, { recursive: true, force: true })
// TypeScript 7 needs a quarter of the time of TypeScript 6. The check `types` already reports type errors.
const compiler = 'node_modules/typescript-7/bin/tsc'
execFileSync(process.execPath, [compiler, '--project', 'tsconfig.build.json', '--noCheck'], { stdio: 'inherit' })

const clients = `${emitted}/clients.d.ts`
writeFileSync(
  clients,
  `import type { PaymentsClient } from './index.js'
export declare const clients: { '2021-09-27': PaymentsClient, '2.1': PaymentsClient<'2.1'> }
`,
)

const { config } = ts.readConfigFile('tsconfig.build.json', ts.sys.readFile)
const { options } = ts.parseJsonConfigFileContent(config, ts.sys, '.')
options.paths = { 'payments-client/webhooks': [declarationsOf(entries.webhooks)] }
const program = ts.createProgram([clients, ...Object.values(entries).map(declarationsOf)], options)

export const checker = program.getTypeChecker()

/** The name of the first entry point that exports each symbol. */
export const owners = new Map<ts.Symbol, string>()

export const entryPoints = Object.entries(entries).map(([entry, source]) => {
  const name = entry === 'index' ? 'payments-client' : `payments-client/${entry}`
  const exported = exportsOf(source)
  for (const symbol of exported.map(resolved)) if (!owners.has(symbol)) owners.set(symbol, name)
  return { name, file: declarationsOf(source), exported }
})

function declarationsOf(source: string): string {
  return resolve(source.replace('src', emitted).replace(/\.ts$/, '.d.ts'))
}

/** Returns the symbols that a module of src exports. */
export function exportsOf(source: string): ts.Symbol[] {
  const file = program.getSourceFile(declarationsOf(source))
  const module = file && checker.getSymbolAtLocation(file)
  return module ? checker.getExportsOfModule(module) : []
}

export function clientOf(version: '2021-09-27' | '2.1'): ts.Type {
  const [symbol] = exportsOf('src/clients.ts')
  return checker.getTypeOfSymbol(checker.getTypeOfSymbol(symbol!).getProperty(version)!)
}

/** Returns the symbol that an import or an export refers to. */
export function resolved(symbol: ts.Symbol): ts.Symbol {
  return symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol
}

/** Returns whether this package declares a symbol at the top level of a module. */
export function isOurs({ declarations: [node] = [] }: ts.Symbol): boolean {
  if (!node || ts.isSourceFile(node) || !node.getSourceFile().fileName.startsWith(resolve(emitted))) return false
  return ts.isSourceFile(ts.isVariableDeclaration(node) ? node.parent.parent.parent : node.parent)
}

const printer = ts.createPrinter({ removeComments: true })

/** Returns the text of a declaration without comments. */
export function textOf(node: ts.Node): string {
  return printer.printNode(ts.EmitHint.Unspecified, node, node.getSourceFile())
}

/** Returns the description of a symbol on one line. */
export function descriptionOf(symbol: ts.Symbol): string {
  return ts.displayPartsToString(symbol.getDocumentationComment(checker)).replace(/\s+/g, ' ').trim()
}
