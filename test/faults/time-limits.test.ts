import { globSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

it('the fault tests set no time limits of their own', () => {
  const limit = /setConfig\(|\btimeout: [\d_]+ \}, (?:async )?\(|^ *\}, [\d_]+\)$/m
  const files = globSync('{test,examples}/**/*.test.ts', { exclude: ['**/node_modules'] })

  expect(files.length).toBeGreaterThan(100)
  expect(files.filter((file) => limit.test(readFileSync(file, 'utf8')))).toEqual([])
})
