import { execFile } from 'node:child_process'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'

const folder = join(dirname(import.meta.dirname), 'fake-timers')
const modules = join(dirname(import.meta.dirname), 'node_modules')

const commands = {
  jest: [join(modules, 'jest/bin/jest.js'), '--rootDir', folder, '--testMatch', '**/jest.cjs', '--watchman=false'],
  vitest: [join(modules, 'vitest/vitest.mjs'), 'run', '--root', folder, '--config', join(folder, 'vitest.config.mjs')],
  node: ['--test', join(folder, 'node.cjs')],
}

/** @param runner The test runner, which runs in a separate process. */
export default (runner) => ({
  async 'fake timers'() {
    try {
      await promisify(execFile)(process.execPath, commands[runner], { cwd: folder })
    } catch (error) {
      throw new Error(`${error.stdout}\n${error.stderr}`)
    }
  },
})
