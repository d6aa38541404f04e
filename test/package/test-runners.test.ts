import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, inject, it, onTestFinished } from 'vitest'
import { createConsumer, remove, run } from './consumer.js'

// The smoke test runs the file for `explore` with `node --test`.
it('Jest runs explore() and imports every entry point under jsdom', async () => {
  const folder = await createConsumer(inject('packed').tarball, 'jest@30.5.2', 'jest-environment-jsdom@30.5.2')
  onTestFinished(() => remove(folder))

  const jest = ['node_modules/jest/bin/jest.js', '--json', '--silent', 'explore.test.cjs', 'jsdom.test.cjs']
  const report = JSON.parse(await run(process.execPath, jest, folder))

  expect(report).toMatchObject({ numPassedTests: 10, numFailedTests: 0 })
})

it('Vitest creates a payment and runs explore()', async () => {
  const folder = await createConsumer(inject('packed').tarball, 'vitest@5.1.0')
  onTestFinished(() => remove(folder))

  const vitest = ['node_modules/vitest/vitest.mjs', 'run', '--reporter=json', '--outputFile=report.json']
  await run(process.execPath, [...vitest, 'vitest.test.mjs'], folder)

  const report = JSON.parse(await readFile(join(folder, 'report.json'), 'utf8'))
  expect(report).toMatchObject({ numPassedTests: 2, numFailedTests: 0 })
})
