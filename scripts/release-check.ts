/**
 * Fails if the checkout is not ready for a release. Shows the files that npm would publish and writes the release notes
 * to reports/release-notes.md. If the quick checks find no problem, runs `npm run check:all`.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'

const output = (program: string, ...args: string[]) => execFileSync(program, args, { encoding: 'utf8' }).trim()
const manifest = JSON.parse(readFileSync('package.json', 'utf8'))
const { name, version } = manifest
const sections = readFileSync('CHANGELOG.md', 'utf8').split(/^## /m)
const notes = sections.find((section) => /^\[(.*)\] - \d{4}-\d\d-\d\d$/m.exec(section)?.[1] === version)
const changes = output('git', 'status', '--porcelain')
const tag = output('git', 'tag', '--list', `v${version}`)
const tagsHere = output('git', 'tag', '--points-at', 'HEAD', 'v*')

spawnSync('npm', ['pack', '--dry-run', '--ignore-scripts'], { stdio: 'inherit' })
console.log(`${name} ${version}\n\n${notes ?? 'No release notes'}`)
mkdirSync('reports', { recursive: true })
writeFileSync(
  'reports/release-notes.md',
  notes
    ?.replace(/^.*\n/, '')
    .replace(/^\[[^\]]+\]: .*$/gm, '')
    .trim() ?? '',
)

const problems = Object.entries({
  'package.json: replace OWNER with the owner of the repository': JSON.stringify(manifest).includes('OWNER'),
  [`the checkout has changes: commit or remove them\n${changes}`]: changes !== '',
  [`CHANGELOG.md: add the section "## [${version}] - <year>-<month>-<day>" with the changes`]: notes === undefined,
  [`the commit needs the tag v${version} only: run \`npm version\``]: tagsHere !== tag,
}).flatMap(([problem, isPresent]) => (isPresent ? [problem] : []))

if (problems.length === 0 && spawnSync('npm', ['run', 'check:all'], { stdio: 'inherit' }).status !== 0) {
  problems.push('`npm run check:all` failed: fix the failures that it lists')
}
for (const problem of problems) console.error(`Not ready: ${problem}`)
process.exitCode = problems.length && 1
