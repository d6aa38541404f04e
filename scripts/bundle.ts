import { readFile } from 'node:fs/promises'
import { dirname, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { transform } from 'esbuild'
import { type GetManualChunk, type Plugin, rollup } from 'rollup'
import { entries } from './entries.js'

/**
 * Groups the modules of all entry points into the ES modules of dist, which tsup then converts to CommonJS. Returns the
 * paths of all source files, including those of bundled packages.
 */
export async function groupModules(): Promise<string[]> {
  const { write } = await rollup({
    input: { ...entries, cli: 'src/cli/main.ts' },
    external: /^(node:.*|msw|@opentelemetry\/api)$/,
    plugins: [sources],
    onwarn: (warning, warn) => {
      // Ignores circular imports, because zod contains some.
      if (warning.code !== 'CIRCULAR_DEPENDENCY') warn(warning)
    },
  })
  const { output } = await write({
    dir: 'dist',
    entryFileNames: '[name].js',
    chunkFileNames: '[name].js',
    manualChunks: fileOf,
    onlyExplicitManualChunks: true,
    hoistTransitiveImports: false,
    minifyInternalExports: false,
    externalLiveBindings: false,
    generatedCode: { preset: 'es2015', symbols: false },
    sourcemap: true,
  })
  return output.flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []))
}

/**
 * Returns the name of the file for a module that several entry points load, or `undefined` for other modules.
 *
 * - `shared`: all modules that `webhooks` loads.
 * - `contract`: further modules that both the client and the sandbox load.
 * - `client`: further modules that the client and the journals load.
 * - `service`: further modules that the sandbox loads.
 *
 * More files would make imports slower: opening a file takes as long as loading 10 KB of code.
 */
const fileOf: GetManualChunk = (id, { getModuleInfo }) => {
  if (id.includes('/node_modules/ky/')) return 'ky'
  const users = usersOf(id, new Set())
  if (users.size === 1 || getModuleInfo(id)?.isEntry) return undefined
  const isUsedBy = (name: keyof typeof entries) => users.has(resolve(entries[name]))
  if (isUsedBy('webhooks') || isUsedBy('opentelemetry')) return 'shared'
  if (isUsedBy('index')) return isUsedBy('sandbox') || isUsedBy('schemas') ? 'contract' : 'client'
  return isUsedBy('sandbox') ? 'service' : undefined

  /** Finds the entry points and the dynamically imported modules that load a module. */
  function usersOf(id: string, seen: Set<string>): Set<string> {
    const { isEntry = false, importers = [], dynamicImporters = [] } = getModuleInfo(id) ?? {}
    const isUser = isEntry || dynamicImporters.length > 0
    seen.add(id)
    const others = importers.filter((importer) => !seen.has(importer)).map((importer) => usersOf(importer, seen))
    return new Set([...(isUser ? [id] : []), ...others.flatMap((users) => [...users])])
  }
}

/**
 * A plugin that finds and compiles modules.
 *
 * The main entry imports the entry `webhooks` instead of bundling it. In a bundle, its exports would be a single object,
 * from which consumers' bundlers could not remove unused members. The sandbox has its own copy of zod, because it uses
 * most of zod, but the client must load only a small part.
 */
const sources: Plugin = {
  name: 'sources',

  resolveId(name, importer) {
    if (importer === undefined) return resolve(name)
    if (name === './webhooks/index.js') return { id: './webhooks.js', external: true }
    if (name.endsWith('/control/page.js')) return { id: './page.cjs', external: true }
    const { path, copy } = partsOf(importer)
    const file = name.startsWith('.') ? resolve(dirname(path), name) : fileURLToPath(import.meta.resolve(name))
    const isPackage = file.includes('node_modules')
    const isForSandbox = copy !== undefined || /^src.testing\b/.test(relative('', path))
    const id = isPackage ? `${file}${isForSandbox ? '?sandbox' : ''}` : file.replace(/js$/, 'ts')
    return { id, moduleSideEffects: false }
  },

  async load(id) {
    const { path } = partsOf(id)
    const source = await readFile(path, 'utf8')
    const isShortened = shortened.test(path)
    const used = contract.test(path) ? source.replace(docFields, '') : source
    const { code, map } = await transform(used.replace(docComments, emptyLines), {
      loader: path.endsWith('.ts') ? 'ts' : 'js',
      target: 'node20',
      sourcefile: path,
      sourcemap: !isShortened,
      minifyIdentifiers: path.includes('node_modules'),
      minifySyntax: isShortened,
      minifyWhitespace: wholeModules.test(path),
      // Node prints the whole source line above an uncaught error, so lines must be short.
      lineLimit: 200,
    })
    return { code, map: isShortened ? { mappings: '' } : { ...JSON.parse(map), sourcesContent: [source] } }
  },
}

function partsOf(id: string): { path: string; copy: string | undefined } {
  const [path = '', copy] = id.split('?')
  return { path, copy }
}

/**
 * The code that is shortened and has no source maps: bundled packages, the sandbox, the command line, and the
 * declarations in `contract/` and `schemas/`. Otherwise, the package would be a third larger.
 */
const shortened = /[\\/](node_modules|src[\\/](testing|cli|core[\\/](contract|schemas)))[\\/]/

/**
 * Code that programs always load as a whole. In all other code, bundlers need the annotations in comments to remove
 * unused parts.
 */
const wholeModules = /[\\/](commander|ky|src[\\/](testing|cli))[\\/]/

/** Doc comments, which the build removes because the type declarations also contain them. */
const docComments = /^ *\/\*\*[\s\S]*?\*\/$/gm

const contract = /[\\/]src[\\/]core[\\/]contract[\\/]/

/** Fields of operations that the build removes, because only the generated documents contain them. */
const docFields = /^ {2}(summary: '.*'|beta: true),$/gm

const emptyLines = (text: string) => text.replace(/.+/g, '')
