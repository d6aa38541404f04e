/**
 * Runs tsup, unless its inputs are unchanged. `npm run build -- --force` always runs it. Also copies the skills to the
 * folder where coding agents look for them in the package.
 */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'

const hashFile = '.build/inputs.sha256'
const sum = createHash('sha256')
for (const file of globSync(['src/**/*.*', 'tsup.config.ts', 'tsconfig*.json', 'package-lock.json']).sort()) {
  sum.update(`${file}\n`).update(readFileSync(file))
}
const hash = sum.digest('hex')
const isUpToDate = existsSync('dist') && existsSync(hashFile) && readFileSync(hashFile, 'utf8') === hash
if (!isUpToDate || process.argv.includes('--force')) {
  for (const path of ['dist', hashFile]) rmSync(path, { recursive: true, force: true })
  execFileSync('tsup', { stdio: 'inherit' })
  mkdirSync('.build', { recursive: true })
  writeFileSync(hashFile, hash)
}
cpSync('docs/skills', 'skills', { recursive: true })
