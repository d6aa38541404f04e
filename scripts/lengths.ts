// Fails if a commit subject or test title after the commit `base` is too long. Passes if this commit is missing, for
// example in a shallow clone.
import { spawnSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'

/** The last commit before these limits were introduced. */
const base = '92e95087'

const git = (...args: string[]) => spawnSync('git', args, { encoding: 'utf8', maxBuffer: 2 ** 28 }).stdout ?? ''

const subjects = git('log', '--no-merges', '--format=%s', `${base}..`).split('\n')
const added = git('diff', '-U0', base, '--', 'test', 'examples').match(/^\+.*/gm)?.join('\n') ?? ''
/** Matches the title of a test, after `it(` or after the cases of `it.each`. */
const title = /(?:\b(?:it|test)(?:\.\w+)*|\))\(\s*(['"`])((?:(?!\1)[^\\\n]|\\.)+)\1,/g
const titles = globSync('{test,examples}/**/*.ts', { exclude: ['**/node_modules'] }).flatMap((file) =>
  [...readFileSync(file, 'utf8').matchAll(title)].map(([, , text = '']) => text),
)

const tooLong = [
  ...subjects
    .filter((subject) => subject.length > 60)
    .map((subject) => `commit subject over 60 characters: ${subject}`),
  ...titles
    .filter((text) => text.replaceAll('\\', '').length > 80 && added.includes(text))
    .map((text) => `test title over 80 characters: ${text}`),
]
for (const problem of tooLong) console.log(problem)
process.exitCode = tooLong.length && 1
