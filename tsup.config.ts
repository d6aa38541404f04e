import { defineConfig, type Options } from 'tsup'

type Plugin = NonNullable<Options['plugins']>[number]

/** What can be imported; `package.json` has the same names under `exports`. */
export const entries = {
  index: 'src/index.ts',
  webhooks: 'src/webhooks/index.ts',
  schemas: 'src/schemas/index.ts',
  sandbox: 'src/sandbox/index.ts',
  msw: 'src/msw.ts',
}

/** CommonJS loads the transport by `require`: `import()` does not work there under Jest. */
const lazyRequire: Plugin = {
  name: 'lazy-require',
  renderChunk(code) {
    return { code: code.replace(/\bimport\((["']\.[^"']+["'])\)/g, 'Promise.resolve().then(() => require($1))') }
  },
}

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
  { ...common, entry: { ...entries, cli: 'src/cli/main.ts' }, format: 'esm' },
  { ...common, entry: entries, format: 'cjs', plugins: [lazyRequire] },
])
