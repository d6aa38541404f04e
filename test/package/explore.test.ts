import { expect, inject, it, onTestFinished } from 'vitest'
import { createConsumer, remove, run } from './consumer.js'

// Tests `explore` in Jest. The smoke test runs the same file with `node --test`.
it('explore() runs in Jest', async () => {
  const folder = await createConsumer(inject('packed').tarball, 'jest@30.5.2')
  onTestFinished(() => remove(folder))

  const jest = ['node_modules/jest/bin/jest.js', '--json', '--silent', 'explore.test.cjs']
  const report = JSON.parse(await run(process.execPath, jest, folder))

  expect(report).toMatchObject({ numPassedTests: 3, numFailedTests: 0 })
})
