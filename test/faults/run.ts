// Runs the tests in matrix.json. Fails if one of them is missing, skipped or failed.
//
//     npm run test:faults                  on the current Node.js version
//     npm run test:faults -- --node 22     on version 22, 24 or 26
import { readFileSync, rmSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { run } from '../../scripts/run.js'
import { nodeProgram, projectsVersion } from '../package/node.js'
import { matrix, unprovenTests } from './matrix.js'

const { values } = parseArgs({ options: { node: { type: 'string', default: projectsVersion } } })
const report = 'reports/faults.json'
rmSync(report, { force: true })
const code = await run(await nodeProgram(values.node), [
  'node_modules/vitest/vitest.mjs',
  'run',
  ...['unit', 'stores', 'types', 'smoke', 'frameworks', 'browser'].flatMap((name) => ['--project', name]),
  ...['--reporter=dot', '--reporter=json', `--outputFile.json=${report}`],
  ...new Set(Object.values(matrix).flatMap(({ tests }) => Object.keys(tests))),
])
const unproven = unprovenTests(JSON.parse(readFileSync(report, 'utf8')))
for (const problem of unproven) console.log(problem)
const ids = new Set(unproven.map((problem) => problem.split(' ')[0]))
console.log(`Node.js ${values.node}: ${Object.keys(matrix).length - ids.size} rows passed, ${ids.size} failed`)
process.exitCode = Math.max(code, unproven.length && 1)
