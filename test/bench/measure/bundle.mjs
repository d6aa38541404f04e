import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { bench } from '../installed.mjs'

/** Returns the size of a consumer's program after bundling, minifying and compressing. */
export async function bundleBytes(program) {
  const { outputFiles } = await build({
    stdin: { contents: program, loader: 'ts', resolveDir: bench },
    bundle: true,
    minify: true,
    platform: 'node',
    format: 'esm',
    target: 'node22',
    write: false,
    logLevel: 'silent',
    // Ignores the repository's tsconfig.json, which would bundle src/ instead of the built package.
    tsconfigRaw: {},
  })
  const [{ contents }] = outputFiles
  return { minified: contents.length, gzipped: gzipSync(contents, { level: 9 }).length }
}
