import { defineConfig, type Options } from 'tsup'

/** The entry points. `package.json` has the same names under `exports`. */
export const entries = {
  index: 'src/index.ts',
  webhooks: 'src/webhooks/index.ts',
  schemas: 'src/core/schemas/index.ts',
  sandbox: 'src/testing/index.ts',
  msw: 'src/testing/msw.ts',
  orders: 'src/orders/index.ts',
  sqlite: 'src/stores/sqlite/index.ts',
  opentelemetry: 'src/observability/opentelemetry.ts',
  redis: 'src/stores/redis/index.ts',
  postgres: 'src/stores/postgres/index.ts',
}

/** Declarations with zod's types, and declarations that must not load them. */
const { schemas, ...others } = entries

const shared: Options = {
  tsconfig: 'tsconfig.build.json',
  target: 'node22.13',
  // All entries share modules, so that for example an error class exists only once.
  splitting: true,
  // The main entry imports this entry by its public name: tsup declares a bundled namespace incorrectly.
  external: ['payments-client/webhooks'],
  // Runtimes other than Node require the prefix `node:` for built-in modules.
  removeNodeProtocol: false,
  silent: true,
}

const declarations: Options = { ...shared, format: ['esm', 'cjs'], dts: { only: true } }

const inspector = 'src/testing/inspector'

export default defineConfig([
  { ...shared, format: 'esm', entry: { ...entries, cli: 'src/cli/main.ts' }, sourcemap: true },
  {
    ...shared,
    format: 'cjs',
    entry: entries,
    // ky contains only ES modules, which Jest cannot require.
    noExternal: ['ky'],
    define: { 'import.meta.dirname': '__dirname' },
    // Only CommonJS: bundlers need the annotations in the comments of ES modules.
    minifyWhitespace: true,
    // Node prints the whole source line above an uncaught error, so lines must be short.
    esbuildOptions: (options) => {
      options.lineLimit = 200
    },
  },
  { ...declarations, entry: { schemas } },
  { ...declarations, entry: others },
  {
    entry: {
      app: `${inspector}/app.ts`,
      style: `${inspector}/style.css`,
      icon: `${inspector}/icon.svg`,
    },
    outDir: 'dist/inspector',
    format: 'esm',
    target: ['chrome111', 'firefox113', 'safari16.4'],
    platform: 'browser',
    splitting: false,
    noExternal: [/./],
    loader: { '.svg': 'copy' },
    minify: true,
    silent: true,
  },
])
