import { readFile, rm } from 'node:fs/promises'
import { resolve } from 'node:path'
import { type Plugin, rollup } from 'rollup'
import { dts } from 'rollup-plugin-dts'
import ts from 'typescript'
import { entries } from '../tsup.config.js'
import { run } from './run.js'

const emitted = '.build/types'

/** The compiler's declarations of src, gathered into one set of files for ES modules and one for CommonJS. */
export async function writeDeclarations(): Promise<string[]> {
  await rm(emitted, { recursive: true, force: true })
  const code = await run('tsc', ['--project', 'tsconfig.build.json'])
  if (code !== 0) throw new Error('src does not compile')
  const { schemas, ...others } = entries
  // Apart, since only the schemas may bring zod's types.
  return [...(await bundle({ schemas })), ...(await bundle(others))]
}

/** Types of other packages come along, so that nothing but this package needs to be installed. Returns the files read. */
async function bundle(entry: Record<string, string>): Promise<string[]> {
  const { write, watchFiles } = await rollup({
    input: Object.fromEntries(Object.entries(entry).map(([name, file]) => [name, declarationOf(file)])),
    external: ['msw', /^node:/],
    plugins: [publicPart, dts({ respectExternal: true })],
  })
  for (const extension of ['d.ts', 'd.cts']) {
    await write({
      dir: 'dist',
      minifyInternalExports: false,
      entryFileNames: `[name].${extension}`,
      chunkFileNames: `[name].${extension}`,
      // In one file, since rollup-plugin-dts loses track of what is a type across files. msw need not be installed.
      manualChunks: (id) => (id === resolve(declarationOf(entries.msw)) ? undefined : 'types'),
    })
  }
  return watchFiles
}

const declarationOf = (source: string) => source.replace(/^src/, emitted).replace(/\.ts$/, '.d.ts')

/** Leaves out what is for us alone. It would bring the contract and all of zod's types into every caller's compiler. */
const publicPart: Plugin = {
  name: 'public-part',
  async load(id) {
    if (!id.includes(`/${emitted}/`)) return null
    const text = await readFile(id, 'utf8')
    const file = ts.createSourceFile(id, text, ts.ScriptTarget.Latest)
    const cuts = file.statements.flatMap((statement) => [
      ...schemasNamedLikeTypes(statement, file),
      ...checks(statement),
    ])
    return cuts.reduceRight((rest, { pos, end }) => rest.slice(0, pos) + rest.slice(end), text)
  },
}

/** A schema bears the name of the interface that it checks, and a bundler takes the two for one declaration. */
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

/** `implements` is a check of ours: types are compared by what they have. */
function checks(statement: ts.Statement): ts.Node[] {
  if (!ts.isClassDeclaration(statement)) return []
  return (statement.heritageClauses ?? []).filter(({ token }) => token === ts.SyntaxKind.ImplementsKeyword)
}
