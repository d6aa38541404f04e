import { execFileSync, spawnSync } from 'node:child_process'
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { run } from './consumer.js'

const changelog =
  '# Changelog\n\n## Unreleased\n\n## [1.1.0] - 2026-11-22\n\n- Lists.\n\n[1.1.0]: https://example.com/1.1.0\n'
const repository = 'https://example.com/acme/sample'
const manifest = {
  name: 'sample',
  version: '1.1.0',
  homepage: repository,
  repository,
  bugs: repository,
  files: ['dist'],
  scripts: { 'check:all': 'echo the checks ran' },
}

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'release-'))
  mkdirSync(join(folder, 'dist'))
  write({ 'dist/index.js': 'export {}\n', 'CHANGELOG.md': changelog, '.gitignore': 'reports/\n' })
  git('init', '--quiet')
})
afterEach(() => rmSync(folder, { recursive: true }))

it('the repository has valid GitHub workflows', async () => {
  await run('node', ['test/package/validators/workflows.mjs', ...globSync('.github/workflows/*.yml')])
})

describe('npm run prepublishOnly', () => {
  it('shows the files, version and release notes, and runs `npm run check:all`', () => {
    commit()

    const { status, output } = check()

    expect(output).toMatch(/10B dist\/index.js$/m)
    expect(output).toMatch(/^sample 1.1.0\n\n\[1.1.0\] - 2026-11-22\n\n- Lists.$/m)
    expect(output).toContain('\nthe checks ran\n')
    expect(readFileSync(join(folder, 'reports/release-notes.md'), 'utf8')).toBe('- Lists.')
    expect(status).toBe(0)
  })

  it('accepts a commit whose tag is the version in package.json', () => {
    commit()
    git('tag', 'v1.1.0')

    expect(check().status).toBe(0)
  })

  it('rejects a package.json with a placeholder', () => {
    commit({ repository: { url: 'https://example.com/OWNER/sample' } })

    expect(check()).toMatchObject({ status: 1, problems: [expect.stringContaining('replace OWNER')] })
  })

  it('rejects uncommitted changes, and lists the files', () => {
    commit()
    write({ 'new.js': '', 'dist/index.js': '' })

    expect(check()).toMatchObject({
      status: 1,
      problems: [expect.stringMatching(/^the checkout .*dist\/index.js.*new.js/s)],
    })
  })

  it.each(['', '## [1.1.0]\n\n- Lists.\n'])('rejects a change log without a dated section: %j', (section) => {
    write({ 'CHANGELOG.md': `# Changelog\n\n${section}\n## [1.0.0] - 2026-11-20\n\n- Payments.\n` })
    commit()

    expect(check()).toMatchObject({ status: 1, problems: [expect.stringContaining('## [1.1.0] - <year>')] })
  })

  it('rejects a commit tagged with another version', () => {
    commit()
    git('tag', 'v1.1.0')
    git('tag', 'v1.2.0')

    expect(check()).toMatchObject({ status: 1, problems: [expect.stringContaining('needs the tag v1.1.0 only')] })
  })

  it('rejects a version whose tag belongs to another commit', () => {
    commit()
    git('tag', 'v1.1.0')
    commit({ description: 'A later commit' })

    expect(check()).toMatchObject({ status: 1, problems: [expect.stringContaining('needs the tag v1.1.0 only')] })
  })

  it('fails if `npm run check:all` fails', () => {
    commit({ scripts: { 'check:all': 'exit 1' } })

    expect(check()).toMatchObject({ status: 1, problems: [expect.stringContaining('`npm run check:all` failed')] })
  })

  it('reports all problems together, without running `npm run check:all`', () => {
    commit({ version: '2.0.0', bugs: 'OWNER' })
    git('tag', 'v1.1.0')
    write({ 'new.js': '' })

    const { problems, output } = check()

    expect(problems).toHaveLength(4)
    expect(output).not.toContain('the checks ran')
  })
})

function write(files: Record<string, string>): void {
  for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, file), text)
}

/** Commits all files and a package.json with the given fields. */
function commit(fields: object = {}): void {
  write({ 'package.json': JSON.stringify({ ...manifest, ...fields }) })
  git('add', '--all')
  git('commit', '--quiet', '--message', 'Change the package')
}

function git(...args: string[]): void {
  const settings = ['user.name=Test', 'user.email=test@example.com', 'commit.gpgsign=false'].flatMap((each) => [
    '-c',
    each,
  ])
  execFileSync('git', [...settings, ...args], { cwd: folder })
}

function check() {
  const [tsx, script] = [resolve('node_modules/.bin/tsx'), resolve('scripts/release-check.ts')]
  const { status, stdout, stderr } = spawnSync(tsx, [script], { cwd: folder, encoding: 'utf8' })
  const problems = stderr.split(/^Not ready: /m).slice(1)
  return { status, output: stdout + stderr, problems: problems.map((problem) => problem.trim()) }
}
