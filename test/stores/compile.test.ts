import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, it } from 'vitest'
import { guidePrograms, queueExamples, writePrograms } from './programs.js'

it('the queue examples and the code in docs/guides/durable-operations.md compile with the types of the drivers', () => {
  const folder = writePrograms('compiled', { ...guidePrograms, ...queueExamples })
  const config = { extends: resolve('tsconfig.json'), include: ['*.ts'], exclude: [] }
  writeFileSync(resolve(folder, 'tsconfig.json'), JSON.stringify(config))

  const compiled = spawnSync(process.execPath, [resolve('node_modules/typescript-7/bin/tsc'), '-p', folder])

  expect(String(compiled.stdout)).toBe('')
})
