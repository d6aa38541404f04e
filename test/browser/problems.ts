import { afterEach, expect } from 'vitest'
import { problems } from './support.js'

// A setup file runs for every test file, although the files share the modules that they import.
afterEach(() => {
  expect(problems.splice(0)).toEqual([])
})
