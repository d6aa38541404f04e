import { expect, inject, it, onTestFinished } from 'vitest'
import { createConsumer, remove, run } from './consumer.js'

// The smoke test runs the file for `explore` with `node --test`.
it('explore() and the import of every entry under jsdom work in Jest', async () => {
  const folder = await createConsumer(inject('packed').tarball, 'jest@30.5.2', 'jest-environment-jsdom@30.5.2')
  onTestFinished(() => remove(folder))

  const jest = ['node_modules/jest/bin/jest.js', '--json', '--silent', 'explore.test.cjs', 'jsdom.test.cjs']
  const report = JSON.parse(await run(process.execPath, jest, folder))

  expect(report).toMatchObject({ numPassedTests: 10, numFailedTests: 0 })
})
