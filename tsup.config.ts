import { defineConfig, type Options } from 'tsup'

/** Loads the CommonJS files of dist, always with `require`, because `import()` fails under Jest. */
const commonJsFiles: NonNullable<Options['plugins']>[number] = {
  name: 'commonjs-files',
  renderChunk(code) {
    return {
      code: code
        .replace(/\bimport\((["']\.[^"']+["'])\)/g, 'Promise.resolve().then(() => require($1))')
        .replace(/\brequire\((["']\.\/[\w-]+)\.js(["'])\)/g, 'require($1.cjs$2)'),
    }
  },
}

/** Converts the ES modules of dist, which `scripts/bundle.ts` has written, to CommonJS. */
export default defineConfig({
  entry: ['dist/*.js', '!dist/cli.js'],
  bundle: false,
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
  plugins: [commonJsFiles],
  outDir: 'dist',
  silent: true,
})
