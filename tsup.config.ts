import { readFile } from 'node:fs/promises'
import { transform } from 'esbuild'
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

const omittedFromMaps = /[\\/](node_modules|src[\\/](sandbox|cli|contract|schemas))[\\/].*\.[cm]?[jt]s$/

/** Code that is loaded as a whole. In other code, bundlers need the annotations in comments to remove unused parts. */
const wholeModules = /[\\/](commander|ky|src[\\/](sandbox|cli))[\\/]/

/**
 * Shortens bundled packages, the sandbox and the command line. Leaves them and the declarations in `contract/` and
 * `schemas/` out of the source maps. Otherwise, the package would be a third larger.
 */
const shortened: EsbuildPlugin = {
  name: 'shortened',
  setup: ({ onLoad }) =>
    onLoad({ filter: omittedFromMaps }, async ({ path }) => {
      const { code } = await transform(await readFile(path, 'utf8'), {
        loader: path.endsWith('.ts') ? 'ts' : 'js',
        target: 'node20',
        minifyIdentifiers: path.includes('node_modules'),
        minifySyntax: true,
        minifyWhitespace: wholeModules.test(path),
      })
      // The map describes only the first line, or the interpreter in it, so the code starts at the second.
      const lines = code.replace(/^(#!.*\n)?/, '$1\n')
      return { contents: `${lines}\n//# sourceMappingURL=data:application/json;base64,${emptyMap}`, loader: 'js' }
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
    esbuildPlugins: [externalWebhooks('js'), externalPage, shortened],
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
    esbuildPlugins: [externalWebhooks('cjs'), externalPage, shortened],
  },
])
