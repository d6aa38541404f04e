import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import * as pathBuilder from './path-builder.fuzz.js'
import * as rawAnswer from './raw-answer.fuzz.js'
import * as responseDecoder from './response-decoder.fuzz.js'
import * as retryAfter from './retry-after.fuzz.js'
import { runLoop } from './runner/loop.js'
import { mutate, randomFrom } from './runner/mutate.js'
import type { Target } from './target.js'
import * as webhookSignature from './webhook-signature.fuzz.js'

const targets: [name: string, target: Target, mutations: number][] = [
  ['path builder', pathBuilder, 2_000],
  ['raw HTTP response', rawAnswer, 200],
  ['response decoder', responseDecoder, 1_000],
  ['Retry-After header', retryAfter, 5_000],
  ['webhook signature', webhookSignature, 5_000],
]

describe.each(targets)('the fuzz target for the %s', (_, { seeds, words, fuzz }, mutations) => {
  it('passes every seed input', async () => {
    for (const seed of seeds) await fuzz(seed)
  })

  it(`passes ${mutations} mutated inputs`, { timeout: 30_000 }, async () => {
    const random = randomFrom(20_260_131)

    for (let count = 0; count < mutations; count++) await fuzz(mutate(seeds, words, random))
  })
})

describe('the fuzzing loop that replaces jazzer.js', () => {
  it('uses coverage to find a failure behind four conditions', { timeout: 60_000 }, async () => {
    const folder = await mkdtemp(join(tmpdir(), 'fuzz-loop-'))
    onTestFinished(() => rm(folder, { recursive: true }))
    const file = join(folder, 'deep.cjs')
    await writeFile(
      file,
      `exports.seeds = [Uint8Array.of(0, 0, 0, 0)]
      exports.words = []
      exports.fuzz = (input) => {
        if (input[0] === 100)
          if (input[1] === 101)
            if (input[2] === 101)
              if (input[3] === 112) throw new Error('found')
      }`,
    )

    const { runs, finding } = await runLoop({ name: 'deep', file, findings: folder }, 30)

    expect(finding).toContain('found')
    expect(runs).toBeLessThan(1_000_000)
  })

  it('reports the number of runs if the target never fails', { timeout: 60_000 }, async () => {
    const folder = await mkdtemp(join(tmpdir(), 'fuzz-loop-'))
    onTestFinished(() => rm(folder, { recursive: true }))
    const file = join(folder, 'sound.cjs')
    await writeFile(file, `exports.seeds = [new Uint8Array()]; exports.words = []; exports.fuzz = async () => {}`)

    const { runs, finding } = await runLoop({ name: 'sound', file, findings: folder }, 0.5)

    expect(finding).toBeUndefined()
    expect(runs).toBeGreaterThan(100)
  })
})
