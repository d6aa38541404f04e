import { basename } from 'node:path'
import { build } from 'esbuild'

const bundles = new Map<string, Promise<string>>()

/** Bundles a program, so that it starts faster than with tsx. Returns the path of the bundle. */
export function bundled(program: string): Promise<string> {
  const bundle = bundles.get(program) ?? write(program)
  bundles.set(program, bundle)
  return bundle
}

async function write(program: string): Promise<string> {
  // Other test processes may write the same bundle.
  const outfile = `.build/programs/${basename(program, '.ts')}-${process.pid}.mjs`
  const require = "import { createRequire as from } from 'node:module'; const require = from(import.meta.url)"
  await build({
    entryPoints: [program],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    external: ['msw'],
    banner: { js: require },
    logLevel: 'error',
  })
  return outfile
}
