import { readFile } from 'node:fs/promises'
import { defineConfig, type Options } from 'tsup'
import { externalPage } from './scripts/inspector.js'

type Plugin = NonNullable<Options['plugins']>[number]
type EsbuildPlugin = NonNullable<Options['esbuildPlugins']>[number]

/** The entry points. `package.json` has the same names under `exports` and `typesVersions`. */
export const entries = {
  index: 'src/index.ts',
  webhooks: 'src/webhooks/index.ts',
  schemas: 'src/schemas/index.ts',
  sandbox: 'src/sandbox/index.ts',
  msw: 'src/msw.ts',
  sqlite: 'src/stores/sqlite.ts',
  opentelemetry: 'src/observability/opentelemetry.ts',
  redis: 'src/stores/redis.ts',
  postgres: 'src/stores/postgres.ts',
}

/** Loads modules with `require` in CommonJS, because `import()` fails under Jest. */
const lazyRequire: Plugin = {
  name: 'lazy-require',
  renderChunk(code) {
    return { code: code.replace(/\bimport\((["']\.[^"']+["'])\)/g, 'Promise.resolve().then(() => require($1))') }
  },
}

/**
 * Makes the main entry import the entry `webhooks` instead of a copy.
 *
 * Consumers' bundlers could not remove unused members from the copy, because it would be one object.
 */
const externalWebhooks = (extension: string): EsbuildPlugin => ({
  name: 'external-webhooks',
  setup: ({ onResolve }) =>
    onResolve({ filter: /^\.\/webhooks\/index\.js$/ }, () => ({ path: `./webhooks.${extension}`, external: true })),
})

const emptyMap = Buffer.from('{"version":3,"sources":["bundled"],"sourcesContent":[""],"mappings":"AAAA"}').toString(
  'base64',
)

/**
 * Leaves other packages, the sandbox and the command line out of the source maps, which would otherwise be three times as
 * large.
 */
const productionSources: EsbuildPlugin = {
  name: 'production-sources',
  setup: ({ onLoad }) =>
    onLoad({ filter: /[\\/](node_modules|src[\\/](sandbox|cli))[\\/].*\.[cm]?[jt]s$/ }, async ({ path }) => {
      const code = await readFile(path, 'utf8')
      const withoutMap = code.replace(/^\/\/# sourceMappingURL=.*$/m, '')
      const contents = `${withoutMap}\n//# sourceMappingURL=data:application/json;base64,${emptyMap}`
      return { contents, loader: path.endsWith('.ts') ? 'ts' : 'js' }
    }),
}

const common: Options = {
  target: 'node20',
  // Shared code is in separate files, so a class is the same in every entry, and the fetch adapter loads only when
  // needed.
  splitting: true,
  noExternal: ['@commander-js/extra-typings', 'commander', 'ky', 'type-fest', 'zod'],
  // Runtimes other than Node require the prefix `node:` for built-in modules.
  removeNodeProtocol: false,
  metafile: true,
  outDir: 'dist',
  silent: true,
}

export default defineConfig([
  {
    ...common,
    entry: { ...entries, cli: 'src/cli/main.ts' },
    format: 'esm',
    sourcemap: true,
    esbuildPlugins: [externalWebhooks('js'), externalPage, productionSources],
  },
  {
    ...common,
    entry: entries,
    format: 'cjs',
    // Prevents tsup from turning shared files into ES5-like code.
    treeshake: true,
    minifyWhitespace: true,
    minifySyntax: true,
    // Node prints the whole source line above an uncaught error, so lines must be short.
    esbuildOptions: (options) => {
      options.lineLimit = 200
    },
    plugins: [lazyRequire],
    esbuildPlugins: [externalWebhooks('cjs'), externalPage],
  },
])
