/**
 * Writes dist/: ES modules, CommonJS, their type declarations, the licences and the bill of materials of
 * inlined packages, and the OpenAPI documents.
 *
 * Skips the build if its inputs are unchanged. `npm run build -- --force` always builds.
 */
import { createHash } from 'node:crypto'
import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { Metafile } from 'esbuild'

const hashFile = '.build/inputs.sha256'
const hash = hashInputs()
const isUpToDate = existsSync('dist') && existsSync(hashFile) && readFileSync(hashFile, 'utf8') === hash
if (!isUpToDate || process.argv.includes('--force')) {
  await Promise.all(['dist', hashFile].map((path) => rm(path, { recursive: true, force: true })))
  // Loaded lazily, because a run that skips the build does not need them.
  const [{ build }, { writeDeclarations }, { writePage }, { inlinedFiles, writeNotices }] = await Promise.all([
    import('tsup'),
    import('./declarations.js'),
    import('./inspector.js'),
    import('./licenses.js'),
  ])
  const typeFiles = await writeDeclarations()
  await build({ config: true })
  await compress()
  await writeNotices([...typeFiles, ...(await inlinedFiles()), ...(await writePage())])
  writeOpenApi()
  mkdirSync('.build', { recursive: true })
  writeFileSync(hashFile, hash)
}

/**
 * Makes the files in dist smaller. Minifies files that consist largely of other packages' code. Indents the others with
 * tabs, so they stay readable.
 */
async function compress(): Promise<void> {
  const { transform } = await import('esbuild')
  const minify = async (code: string) => (await transform(code, { minify: true, lineLimit: 200 })).code
  for (const metafile of globSync('dist/metafile-*.json')) {
    const { outputs }: Metafile = JSON.parse(readFileSync(metafile, 'utf8'))
    for (const [file, { bytes, inputs }] of Object.entries(outputs)) {
      const code = readFileSync(file, 'utf8')
      const packages = Object.entries(inputs).filter(([path]) => path.includes('node_modules/'))
      const inlinedBytes = packages.reduce((sum, [, { bytesInOutput }]) => sum + bytesInOutput, 0)
      if (inlinedBytes > bytes / 4) writeFileSync(file, await minify(code))
      else {
        const withTabs = code.replace(/^(?: {2})+/gm, (spaces) => '\t'.repeat(spaces.length / 2))
        // Skips files in which the tabs would change a multi-line string.
        if ((await minify(withTabs)) === (await minify(code))) writeFileSync(file, withTabs)
      }
    }
  }
}

function writeOpenApi(): void {
  mkdirSync('dist/openapi', { recursive: true })
  for (const file of globSync('docs/openapi/*.json')) {
    writeFileSync(join('dist/openapi', basename(file)), JSON.stringify(JSON.parse(readFileSync(file, 'utf8'))))
  }
}

function hashInputs(): string {
  const inputs = globSync([
    'src/**/*.*',
    'scripts/*.ts',
    'tsconfig*.json',
    'tsup.config.ts',
    'package-lock.json',
    'docs/openapi/*.json',
  ])
  const sum = createHash('sha256')
  for (const file of inputs.sort()) sum.update(`${file}\n`).update(readFileSync(file))
  return sum.digest('hex')
}
