/**
 * Shows what a release would publish, and fails if the checkout is not ready.
 *
 * Runs `npm run check:all` only if the quick checks find no problem. Writes the release notes to reports/release-notes.md.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'

interface Packed {
  files: { path: string; size: number }[]
  size: number
  unpackedSize: number
}

const manifest = JSON.parse(readFileSync('package.json', 'utf8'))
const tag = `v${manifest.version}`
const notes = releaseNotes()

showRelease()
const problems = [...placeholders(), ...uncommittedChanges(), ...missingNotes(), ...wrongTags()]
if (problems.length === 0 && spawnSync('npm', ['run', 'check:all'], { stdio: 'inherit' }).status !== 0) {
  problems.push('`npm run check:all` failed: fix the failures that it lists')
}
for (const problem of problems) console.error(`Not ready: ${problem}`)
if (problems.length === 0) console.log(`Ready: ${tag}`)
else process.exitCode = 1

function showRelease(): void {
  const report = output('npm', 'pack', '--dry-run', '--json', '--ignore-scripts')
  const [packed] = Object.values<Packed>(JSON.parse(report))
  const { files, size, unpackedSize } = packed as Packed
  for (const file of files) console.log(`${String(file.size).padStart(9)}  ${file.path}`)
  console.log(`\n${files.length} files, ${unpackedSize} bytes, ${size} bytes compressed`)
  console.log(`${manifest.name} ${manifest.version}, tag ${tag}\n\n${notes ?? 'No release notes'}\n`)
  mkdirSync('reports', { recursive: true })
  writeFileSync('reports/release-notes.md', `${notes ?? ''}\n`)
}

/** Returns the dated section of the version in the change log, without its heading and without link definitions. */
function releaseNotes(): string | undefined {
  const sections = readFileSync('CHANGELOG.md', 'utf8').split(/^## /m)
  const section = sections.find((text) => /^\[?([^\]\s]+)\]? - \d{4}-\d\d-\d\d$/m.exec(text)?.[1] === manifest.version)
  return section
    ?.replace(/^.*\n/, '')
    .replace(/^\[[^\]]+\]: .*$/gm, '')
    .trim()
}

function placeholders(): string[] {
  const fields = ['homepage', 'repository', 'bugs'].filter((field) => {
    const value = JSON.stringify(manifest[field]) ?? ''
    return value === '' || value.includes('OWNER')
  })
  return fields.map(
    (field) =>
      `package.json: the field "${field}" is missing or has the placeholder OWNER: enter the address of your repository`,
  )
}

function uncommittedChanges(): string[] {
  const changes = output('git', 'status', '--porcelain')
  return changes ? [`the checkout has changes: commit or remove them\n${changes}`] : []
}

function missingNotes(): string[] {
  return notes
    ? []
    : [`CHANGELOG.md: add the section "## [${manifest.version}] - <year>-<month>-<day>" with the changes`]
}

function wrongTags(): string[] {
  const tags = output('git', 'tag', '--points-at', 'HEAD', 'v*').split('\n').filter(Boolean)
  const others = tags.filter((name) => name !== tag)
  if (others.length > 0) return [`the commit has the tag ${others.join(', ')}, but the version is ${manifest.version}`]
  const isUsed = tags.length === 0 && output('git', 'tag', '--list', tag) !== ''
  return isUsed ? [`the tag ${tag} belongs to another commit: run \`npm version\` to increase the version`] : []
}

function output(program: string, ...args: string[]): string {
  return execFileSync(program, args, { encoding: 'utf8' }).trim()
}
