import { describe, expect, it } from 'vitest'
import { effort } from '../effort.js'
import { compareSequences } from './compare.js'

const { runs, seed, isLong, timeoutMs, print } = effort(200)

const neverRefused = ['create', 'list', 'advance', 'receiverFails', 'snapshot', 'restore']

describe('the sandbox compared with a model of the specification', () => {
  it(`matches the model in ${runs} sequences of requests and events`, { timeout: timeoutMs }, async () => {
    const { sequences, commands, tally } = await compareSequences({ sequences: runs, seed })

    print({ sequences, commands, tally })
    expect(sequences).toBe(runs)
    if (!isLong) return
    // Requires that every command was both allowed and rejected, because one result alone would prove little.
    for (const [name, { allowed, refused }] of tally) {
      expect(allowed, `${name}, allowed`).toBeGreaterThan(0)
      if (!neverRefused.includes(name)) expect(refused, `${name}, refused`).toBeGreaterThan(0)
    }
  })
})
