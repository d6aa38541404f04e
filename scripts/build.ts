/**
 * Writes dist/: ES modules, CommonJS, their type declarations, the licences and the bill of materials of
 * inlined packages, and the OpenAPI documents.
 *
 * Skips the build if its inputs are unchanged. `npm run build -- --force` always builds.
 */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { decode, encode } from '@jridgewell/sourcemap-codec'

const hashFile = '.build/inputs.sha256'
const hash = hashInputs()
const isUpToDate = existsSync('dist') && existsSync(hashFile) && readFileSync(hashFile, 'utf8') === hash
if (!isUpToDate || process.argv.includes('--force')) {
  await Promise.all(['dist', hashFile].map((path) => rm(path, { recursive: true, force: true })))
  // Loaded lazily, because a run that skips the build does not need them.
  const [{ groupModules }, { writeDeclarations }, { writePage }, { writeNotices }] = await Promise.all([
    import('./bundle.js'),
    import('./declarations.js'),
    import('./inspector.js'),
    import('./licenses.js'),
  ])
  const inlined = [...(await writeDeclarations()), ...(await groupModules()), ...(await writePage())]
  execFileSync('tsup', { stdio: 'inherit' })
  shortenMaps()
  await writeNotices(inlined)
  writeOpenApi()
  mkdirSync('.build', { recursive: true })
  writeFileSync(hashFile, hash)
}

/**
 * Keeps one position per line in the source maps, which is enough for stack traces. Keeping all positions would enlarge
 * the package by 5 %.
 */
function shortenMaps(): void {
  for (const file of globSync('dist/*.js.map')) {
    const map = JSON.parse(readFileSync(file, 'utf8'))
    const lines = decode(map.mappings).map((positions) => positions.slice(0, 1))
    writeFileSync(file, JSON.stringify({ ...map, names: [], mappings: encode(lines) }))
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
    'tsup.config.ts',
    'tsconfig*.json',
    'package-lock.json',
    'docs/openapi/*.json',
  ])
  const sum = createHash('sha256')
  for (const file of inputs.sort()) sum.update(`${file}\n`).update(readFileSync(file))
  return sum.digest('hex')
}
