import { defineConfig, type Options } from 'tsup'

type Plugin = NonNullable<Options['plugins']>[number]
type EsbuildPlugin = NonNullable<Options['esbuildPlugins']>[number]

/** Keeps imports of other files in dist, with the extension of CommonJS. */
const separateFiles: EsbuildPlugin = {
  name: 'separate-files',
  setup: ({ onResolve }) =>
    onResolve({ filter: /^\.\/[\w-]+\.c?js$/ }, ({ path }) => ({
      path: path.replace(/\.js$/, '.cjs'),
      external: true,
    })),
}

/** Loads modules with `require` in CommonJS, because `import()` fails under Jest. */
const lazyRequire: Plugin = {
  name: 'lazy-require',
  renderChunk(code) {
    return { code: code.replace(/\bimport\((["']\.[^"']+["'])\)/g, 'Promise.resolve().then(() => require($1))') }
  },
}

/** Converts the ES modules of dist, which `scripts/bundle.ts` has written, to CommonJS. */
export default defineConfig({
  entry: ['dist/*.js', '!dist/cli.js'],
  format: 'cjs',
  target: 'node20',
  // Runtimes other than Node require the prefix `node:` for built-in modules.
  removeNodeProtocol: false,
  minifyWhitespace: true,
  minifySyntax: true,
  // Node prints the whole source line above an uncaught error, so lines must be short.
  esbuildOptions: (options) => {
    options.lineLimit = 200
  },
  plugins: [lazyRequire],
  esbuildPlugins: [separateFiles],
  outDir: 'dist',
  silent: true,
})
