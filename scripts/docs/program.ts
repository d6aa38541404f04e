import ts from 'typescript'

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
const program = ts.createProgram([root], options, host)

export const checker = program.getTypeChecker()

const [clientsSymbol] = exportsOf(root)
const clientTypes = checker.getTypeOfSymbol(clientsSymbol!)

/** The client of a version. */
export function clientOf(version: '2021-09-27' | '2.1'): ts.Type {
  return checker.getTypeOfSymbol(clientTypes.getProperty(version)!)
}

/** Everything that `payments-client` exports, with what is in its namespace `webhooks`, by name. */
export const exported = new Map<string, ts.Symbol>()
/** The names that are in the namespace only. */
export const webhookNames = new Set<string>()

for (const symbol of exportsOf('src/index.ts')) {
  if (symbol.name !== 'webhooks') exported.set(symbol.name, resolved(symbol))
}
for (const symbol of exportsOf('src/webhooks/index.ts')) {
  if (exported.has(symbol.name)) continue
  exported.set(symbol.name, resolved(symbol))
  webhookNames.add(symbol.name)
}

type TypeDeclaration = ts.InterfaceDeclaration | ts.TypeAliasDeclaration

/** The interfaces and aliases that can be looked up on the page, by name. */
export const declarations = new Map<string, TypeDeclaration>()
for (const [name, symbol] of exported) note(name, symbol.declarations)
// What travels, exported or not: a field may have such a type.
for (const file of program.getSourceFiles()) {
  if (file.fileName.includes('src/schemas/')) ts.forEachChild(file, (node) => note(undefined, [node]))
}

/** The classes that are exported, by name. */
export const classes = new Map<string, ts.ClassDeclaration>()
for (const [name, { valueDeclaration }] of exported) {
  if (valueDeclaration && ts.isClassDeclaration(valueDeclaration)) classes.set(name, valueDeclaration)
}

/** The functions that are exported, by name. */
export const functions = new Map<string, ts.Symbol>()
for (const [name, symbol] of exported) if (symbol.flags & ts.SymbolFlags.Function) functions.set(name, symbol)

function note(name: string | undefined, nodes: readonly ts.Node[] = []): void {
  for (const node of nodes) {
    if (ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node)) {
      declarations.set(name ?? node.name.text, node)
    }
  }
}

function exportsOf(file: string): ts.Symbol[] {
  return checker.getExportsOfModule(checker.getSymbolAtLocation(program.getSourceFile(file)!)!)
}

function resolved(symbol: ts.Symbol): ts.Symbol {
  return symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol
}
