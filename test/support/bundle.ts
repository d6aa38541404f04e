import { mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { basename } from 'node:path'
import { build } from 'esbuild'

const folder = '.build/programs'
const bundles = new Map<string, Promise<string>>()

/** Bundles a program, so that it starts faster than with tsx. Returns the path of the bundle. */
export function bundled(program: string): Promise<string> {
  const bundle = bundles.get(program) ?? write(program)
  bundles.set(program, bundle)
  return bundle
}

async function write(program: string): Promise<string> {
  const require = "import { createRequire as from } from 'node:module'; const require = from(import.meta.url)"
  const { outputFiles } = await build({
    entryPoints: [program],
    bundle: true,
    write: false,
    platform: 'node',
    format: 'esm',
    external: ['msw'],
    banner: { js: require },
    logLevel: 'error',
  })
  const file = `${folder}/${basename(program, '.ts')}.mjs`
  const unfinished = `${file}.${process.pid}`
  mkdirSync(folder, { recursive: true })
  writeFileSync(unfinished, outputFiles[0]?.contents ?? '')
  // Other processes may write the same file or run it.
  renameSync(unfinished, file)
  return file
}
