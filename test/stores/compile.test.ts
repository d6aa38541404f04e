import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, it } from 'vitest'
import { guidePrograms, queueExamples, writePrograms } from './programs.js'

it('the queue examples and the code in docs/guides/durable-operations.md compile with the types of the drivers', () => {
  const folder = writePrograms('compiled', { ...guidePrograms, ...queueExamples })
  const compilerOptions = { exactOptionalPropertyTypes: true }
  const config = { extends: resolve('tsconfig.json'), compilerOptions, include: ['*.ts'], exclude: [] }
  writeFileSync(resolve(folder, 'tsconfig.json'), JSON.stringify(config))

  const compiled = spawnSync(process.execPath, [resolve('node_modules/typescript-7/bin/tsc'), '-p', folder])

  // Ignores src, because readers compile against its declarations.
  const errors = String(compiled.stdout).split(/\n(?=\S)/)
  expect(errors.filter((error) => error.trim() !== '' && !error.startsWith('src/'))).toEqual([])
})
