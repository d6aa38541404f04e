import { globSync } from 'node:fs'
import { basename } from 'node:path'
import { defineConfig, type Options } from 'tsup'

type Plugin = NonNullable<Options['plugins']>[number]
type EsbuildPlugin = NonNullable<Options['esbuildPlugins']>[number]

// The input is in `.build/files`: `scripts/bundle.ts` has grouped the modules and packages into the files of dist.
const files = Object.fromEntries(globSync('.build/files/*.js').map((file) => [basename(file, '.js'), file]))
const { cli: _, ...libraries } = files

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

const common: Options = {
  target: 'node20',
  splitting: false,
  // Runtimes other than Node require the prefix `node:` for built-in modules.
  removeNodeProtocol: false,
  outDir: 'dist',
  silent: true,
}

export default defineConfig([
  { ...common, entry: files, format: 'esm', bundle: false, sourcemap: true },
  {
    ...common,
    entry: libraries,
    format: 'cjs',
    minifyWhitespace: true,
    minifySyntax: true,
    // Node prints the whole source line above an uncaught error, so lines must be short.
    esbuildOptions: (options) => {
      options.lineLimit = 200
    },
    plugins: [lazyRequire],
    esbuildPlugins: [separateFiles],
  },
])
