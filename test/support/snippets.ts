import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, resolve } from 'node:path'
import ts from 'typescript'

/** The folder of the code blocks that are compiled. */
const folder = resolve('.build/snippets')

const docs = readdirSync('docs', { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.md'))

/** The pages of the documentation. */
export const pages = ['README.md', 'CHANGELOG.md', ...docs.map((name) => `docs/${name}`)]

/** A TypeScript code block in a page. */
export interface Snippet {
  readonly page: string
  /** The line number of the block's first line. */
  readonly line: number
  readonly code: string
  /** The name of the file in which the reader saves the code, for example `orders.ts`. */
  readonly file?: string | undefined
  /** The names that the block uses from earlier blocks of its page, with the latest block that declares each. */
  readonly uses: ReadonlyMap<string, Snippet>
}

/** Declares packages that code blocks import but that are not installed. */
const otherPackages = `
declare module 'express'
declare module 'redis'
declare module 'pg'
declare module 'pg-boss'
declare module 'bullmq'
declare module '@dbos-inc/dbos-sdk'
declare module '@restatedev/restate-sdk' {
  export type Context = any
  export const service: any, serve: any
}
declare module 'pino'
declare module 'winston'
declare module 'undici'
declare module 'https-proxy-agent'
declare module '@opentelemetry/sdk-node'
declare module '@opentelemetry/exporter-prometheus'
`

/** Returns the TypeScript code blocks in a page. */
export function snippetsIn(page: string): Snippet[] {
  const text = readFileSync(page, 'utf8')
  const declaredBy = new Map<string, Snippet>()
  return [...text.matchAll(/^```ts\n(.*?)^```$/gms)].map(({ 1: code = '', index }) => {
    const before = text.slice(0, index)
    const [, file] = /Save this as `([\w-]+\.ts)`[^\n]*\n\n$/.exec(before) ?? []
    const names = namesUsedIn(code)
    const uses = new Map(file === undefined ? [...declaredBy].filter(([name]) => names.has(name)) : [])
    const snippet = { page, line: before.split('\n').length + 1, code, file, uses }
    if (file === undefined) for (const name of namesDeclaredIn(code)) declaredBy.set(name, snippet)
    return snippet
  })
}

/** Returns the variables, functions and imported values that a block declares, except names declared with `declare`. */
function namesDeclaredIn(code: string): string[] {
  const { statements } = ts.createSourceFile('block.ts', code, ts.ScriptTarget.Latest)
  return statements.flatMap((statement) => {
    if (ts.isVariableStatement(statement) && !hasModifier(statement, ts.SyntaxKind.DeclareKeyword))
      return statement.declarationList.declarations.flatMap(({ name }) => namesIn(name))
    if (ts.isFunctionDeclaration(statement) && statement.name) return statement.name.text
    if (!ts.isImportDeclaration(statement)) return []
    const { namedBindings, isTypeOnly } = statement.importClause ?? {}
    if (isTypeOnly || !namedBindings || !ts.isNamedImports(namedBindings)) return []
    return namedBindings.elements.flatMap(({ isTypeOnly, name }) => (isTypeOnly ? [] : name.text))
  })
}

const hasModifier = (statement: ts.VariableStatement, kind: ts.SyntaxKind) =>
  statement.modifiers?.some((modifier) => modifier.kind === kind)

function namesIn(name: ts.BindingName): string[] {
  if (ts.isIdentifier(name)) return [name.text]
  return name.elements.flatMap((element) => (ts.isOmittedExpression(element) ? [] : namesIn(element.name)))
}

/** Returns the names that a block uses without declaring them anywhere. */
function namesUsedIn(code: string): Set<string> {
  const used = new Set<string>()
  const declared = new Set<string>()
  const visit = (node: ts.Node): void => {
    const { parent } = node
    const { name, propertyName } = (parent ?? {}) as { name?: ts.Node; propertyName?: ts.Node }
    const isName = name === node && !ts.isShorthandPropertyAssignment(parent)
    if (!ts.isIdentifier(node)) ts.forEachChild(node, visit)
    else if (!isName && propertyName !== node) used.add(node.text)
    else if (isName && !ts.isPropertyAccessExpression(parent) && !ts.isPropertyAssignment(parent))
      declared.add(node.text)
  }
  visit(ts.createSourceFile('block.ts', code, ts.ScriptTarget.Latest, true))
  return used.difference(declared)
}

/** Returns a block as a module that exports every name that it declares. */
function moduleOf({ code }: Snippet): string {
  const names = namesDeclaredIn(code).filter((name) => !new RegExp(`^export .*\\b${name}\\b`, 'm').test(code))
  return `${code}\nexport { ${names.join(', ')} }\n`
}

/**
 * Returns the type errors of code blocks, each compiled as a module that imports names of earlier blocks, and of other
 * files.
 */
export function typeErrors(snippets: readonly Snippet[], others: readonly string[]) {
  const files = new Map([
    [join(folder, 'packages.d.ts'), otherPackages],
    // `npx payments-client example` creates these files.
    [folderOf('docs/guides/explore.md', 'sqlite.ts'), readFileSync('examples/orders/sqlite.ts', 'utf8')],
    [folderOf('docs/guides/testing.md', 'shop.ts'), readFileSync('examples/testing/shop.ts', 'utf8')],
    ...snippets.map((snippet) => {
      const imports = [...snippet.uses].map(([name, block]) => `import { ${name} } from '${fileOf(block)}'\n`)
      return [fileOf(snippet), imports.join('') + moduleOf(snippet)] as const
    }),
  ])
  rmSync(folder, { recursive: true, force: true })
  for (const [file, code] of files) {
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, code)
  }
  const config = {
    extends: resolve('tsconfig.types.json'),
    // Adds the only strict option that `tsconfig.json` lacks.
    compilerOptions: { exactOptionalPropertyTypes: true },
    files: [...files.keys(), ...others.map((file) => resolve(file))],
    include: [],
  }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config))
  const { stdout } = spawnSync(process.execPath, ['node_modules/typescript-7/bin/tsc', '-p', folder])
  const errors = String(stdout)
    .split(/\n(?=\S)/)
    .filter((error) => error !== '' && !error.startsWith('src/'))
  const isInSnippet = (error: string) => error.startsWith('.build/')
  return { inSnippets: errors.filter(isInSnippet), inOthers: errors.filter((error) => !isInSnippet(error)) }
}

/** Files that the reader saves keep their names, so that other code blocks can import them. */
const fileOf = ({ page, line, file }: Snippet) => folderOf(page, file ?? `${line}.ts`)

/** Returns a path in the project, in a folder for the page. */
const folderOf = (page: string, name: string) => join(folder, page.replace(/\W/g, '-'), name)

/** Loads the modules that code blocks import. A compiler of code blocks does not need them. */
const loadModules = async (): Promise<Record<string, unknown>> => ({
  'payments-client': await import('payments-client'),
  'payments-client/msw': await import('payments-client/msw'),
  'payments-client/orders': await import('payments-client/orders'),
  'payments-client/sandbox': await import('payments-client/sandbox'),
  'payments-client/schemas': await import('payments-client/schemas'),
  'payments-client/sqlite': await import('payments-client/sqlite'),
  'payments-client/webhooks': await import('payments-client/webhooks'),
  // `npx payments-client example orders/sqlite` creates this file.
  './sqlite.ts': await import('../../examples/orders/sqlite.js'),
})

/**
 * Runs the earlier blocks whose names a code block uses. Returns the values of these names.
 *
 * @param replaced Values that replace names of earlier blocks, and functions that the page declares with `declare`.
 */
export async function valuesFor(
  { uses }: Snippet,
  replaced: Readonly<Record<string, unknown>> = {},
  finished = new Map<Snippet, Record<string, unknown>>(),
): Promise<Record<string, unknown>> {
  const values: Record<string, unknown> = { ...replaced }
  for (const [name, block] of uses) {
    if (name in replaced) continue
    const exports = finished.get(block) ?? (await evaluate(moduleOf(block), await valuesFor(block, replaced, finished)))
    finished.set(block, exports)
    values[name] = exports[name]
  }
  return values
}

/** Runs a code block. Returns the values that it declares. */
export async function runSnippet(
  snippet: Snippet,
  replaced?: Readonly<Record<string, unknown>>,
): Promise<Record<string, unknown>> {
  return evaluate(moduleOf(snippet), await valuesFor(snippet, replaced))
}

/** Runs TypeScript code with the given values in scope, and with further modules by name. Returns its exports. */
export async function evaluate(
  code: string,
  values: object = {},
  others: Readonly<Record<string, unknown>> = {},
): Promise<Record<string, unknown>> {
  const require = createRequire(import.meta.url)
  const modules = await loadModules()
  const load = (name: string) => others[name] ?? modules[name] ?? require(name)
  const outputText = transpiled.get(code) ?? transpile(code)
  transpiled.set(code, outputText)
  const AsyncFunction = Object.getPrototypeOf(async () => {}).constructor
  // The braces let the code redeclare names that are parameters.
  const run = new AsyncFunction('require', 'exports', ...Object.keys(values), `{ ${outputText} }`)
  const exports = {}
  await run(load, exports, ...Object.values(values))
  return exports
}

const transpiled = new Map<string, string>()

function transpile(code: string): string {
  const compilerOptions: ts.CompilerOptions = {
    module: ts.ModuleKind.CommonJS,
    target: ts.ScriptTarget.ES2023,
    esModuleInterop: true,
    experimentalDecorators: true,
  }
  return ts.transpileModule(code, { compilerOptions }).outputText
}
