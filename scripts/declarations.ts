import { readFile, writeFile } from 'node:fs/promises'
import { relative } from 'node:path'
import { type Plugin, rollup } from 'rollup'
import { dts } from 'rollup-plugin-dts'
import ts from 'typescript'
import { emitTypes, emitted } from './emit.js'
import { entries } from './entries.js'

/** Writes the type declarations of src to dist, for CommonJS and for ES modules. Returns the files that it read. */
export async function writeDeclarations(): Promise<string[]> {
  emitTypes()
  const { schemas, ...others } = entries
  // Bundles the schemas separately, because no other entry may import zod's types. Their declarations import the data
  // types from types.d.cts.
  const files = [...(await bundle({ schemas }, isData)), ...(await bundle(others))]
  await Promise.all(Object.keys(entries).map(writeForEsm))
  return files
}

/**
 * Writes the ES module declarations of an entry. They re-export the CommonJS declarations, so a type is the same for
 * both module formats.
 *
 * An entry that imports types from another package gets a copy, because those types can depend on the module format.
 */
async function writeForEsm(entry: string): Promise<void> {
  const declarations = await readFile(`dist/${entry}.d.cts`, 'utf8')
  const isCopied = [...declarations.matchAll(/ from '([^']+)'/g)].some(([, module]) => module && isOptional(module))
  await writeFile(`dist/${entry}.d.ts`, isCopied ? declarations : `export * from './${entry}.cjs';\n`)
}

const isOptional = (module: string) => /^(msw|@opentelemetry\/api)$/.test(module)

function isData(id: string): boolean {
  return id.includes(`/${emitted}/core/schemas/`) && !/\/(index|types|zod|zod-type)\.d\.ts$/.test(id)
}

/** Inlines the types of other packages, so consumers only need to install this package. */
async function bundle(entry: Record<string, string>, isShared = (_id: string) => false): Promise<string[]> {
  const { write, watchFiles } = await rollup({
    input: Object.fromEntries(Object.entries(entry).map(([name, file]) => [name, declarationOf(file)])),
    external: (id) => isOptional(id) || id.startsWith('node:') || isShared(id),
    plugins: [publicPart, dts({ respectExternal: true })],
    // For example, warns about a type that a merchant's program cannot name, because no entry exports the type.
    onwarn({ message }) {
      throw new Error(message)
    },
  })
  await write({
    dir: 'dist',
    paths: (id) => (isShared(id) ? './types.cjs' : id),
    minifyInternalExports: false,
    entryFileNames: '[name].d.cts',
    chunkFileNames: '[name].d.cts',
    manualChunks: fileOf,
  })
  return watchFiles
}

const declarationOf = (source: string) => source.replace(/^src/, emitted).replace(/\.ts$/, '.d.ts')

/**
 * Returns the name of the file for a module's declarations, or `undefined` for the file of its entry point.
 *
 * The optional entries have their own files: most programs do not import them, and the compiler checks every
 * declaration in a file that it loads. All other entries share one file, because rollup-plugin-dts confuses types with
 * values across files.
 */
function fileOf(id: string): string | undefined {
  const module = relative(emitted, id)
  if (/^(stores\/(sqlite|redis|postgres)|observability\/|testing\/msw\.)/.test(module)) return undefined
  return module.startsWith('testing/') ? 'sandbox' : 'types'
}

/** Removes internal declarations. They would make every consumer's compiler load the contract and all of zod's types. */
const publicPart: Plugin = {
  name: 'public-part',
  async load(id) {
    if (!id.includes(`/${emitted}/`)) return null
    const source = await readFile(id, 'utf8')
    const file = ts.createSourceFile(id, source, ts.ScriptTarget.Latest)
    const cuts = file.statements.flatMap((statement) => [
      ...schemasNamedLikeTypes(statement, file),
      ...implementsClauses(statement),
    ])
    return cuts.reduceRight((rest, { pos, end }) => rest.slice(0, pos) + rest.slice(end), source)
  },
}

/** Finds schemas with the same name as an interface. The bundler would wrongly merge the two into one declaration. */
function schemasNamedLikeTypes(statement: ts.Statement, file: ts.SourceFile): ts.Node[] {
  if (!ts.isVariableStatement(statement)) return []
  const isType = (name: ts.BindingName) =>
    file.statements.some(
      (other) =>
        (ts.isInterfaceDeclaration(other) || ts.isTypeAliasDeclaration(other)) &&
        ts.isIdentifier(name) &&
        other.name.text === name.text,
    )
  return statement.declarationList.declarations.some(({ name }) => isType(name)) ? [statement] : []
}

/** Finds `implements` clauses. Consumers do not need them, because TypeScript compares types by their members. */
function implementsClauses(statement: ts.Statement): ts.Node[] {
  if (!ts.isClassDeclaration(statement)) return []
  return (statement.heritageClauses ?? []).filter(({ token }) => token === ts.SyntaxKind.ImplementsKeyword)
}
