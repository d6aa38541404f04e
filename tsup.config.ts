import { defineConfig, type Options } from 'tsup'

type Plugin = NonNullable<Options['plugins']>[number]
type EsbuildPlugin = NonNullable<Options['esbuildPlugins']>[number]

/** What can be imported; `package.json` has the same names under `exports`. */
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

/** CommonJS loads the transport by `require`: `import()` does not work there under Jest. */
const lazyRequire: Plugin = {
  name: 'lazy-require',
  renderChunk(code) {
    return { code: code.replace(/\bimport\((["']\.[^"']+["'])\)/g, 'Promise.resolve().then(() => require($1))') }
  },
}

/**
 * The main entry hands on the entry `webhooks` instead of a copy of it gathered into one object: a consumer's bundler takes
 * no namespace apart that it finds ready-made, and would keep all of it.
 */
const entriesAsTheyAre = (extension: string): EsbuildPlugin => ({
  name: 'entries-as-they-are',
  setup: ({ onResolve }) =>
    onResolve({ filter: /^\.\/webhooks\/index\.js$/ }, () => ({ path: `./webhooks.${extension}`, external: true })),
})

const common: Options = {
  target: 'node20',
  // Shared code stands once, so that both ways to a class lead to the same class, and the transport loads when needed.
  splitting: true,
  // Without it tsup turns the shared CommonJS files into ES5-like code.
  treeshake: true,
  noExternal: ['ky', 'type-fest', 'zod'],
  // Runtimes other than Node know built-in modules by this prefix only.
  removeNodeProtocol: false,
  metafile: true,
  outDir: 'dist',
  silent: true,
}

export default defineConfig([
  { ...common, entry: { ...entries, cli: 'src/cli/main.ts' }, format: 'esm', esbuildPlugins: [entriesAsTheyAre('js')] },
  { ...common, entry: entries, format: 'cjs', plugins: [lazyRequire], esbuildPlugins: [entriesAsTheyAre('cjs')] },
])
