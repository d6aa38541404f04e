import fc from 'fast-check'
import { describe, it } from 'vitest'
import * as pathBuilder from './path-builder.fuzz.js'
import * as rawAnswer from './raw-answer.fuzz.js'
import * as responseDecoder from './response-decoder.fuzz.js'
import * as retryAfter from './retry-after.fuzz.js'
import type { Target } from './target.js'
import * as webhookSignature from './webhook-signature.fuzz.js'

/** Replaces up to 16 bytes at a position with other bytes. */
type Edit = readonly [at: number, removed: number, inserted: Uint8Array]

/** Seed inputs with up to 16 edits, which may insert words and parts of other seeds. */
function mutations({ seeds, words }: Target): fc.Arbitrary<Uint8Array> {
  const seed = fc.constantFrom(...seeds)
  const part = fc.tuple(seed, fc.nat(4_096), fc.nat(4_096)).map(([input, start, end]) => input.subarray(start, end))
  const inserted: fc.Arbitrary<Uint8Array>[] = [fc.uint8Array({ maxLength: 4 }), part]
  if (words.length > 0) inserted.push(fc.constantFrom(...words).map((word) => Buffer.from(word)))
  const edit: fc.Arbitrary<Edit> = fc.tuple(fc.nat(4_096), fc.nat(16), fc.oneof(...inserted))
  return fc.tuple(seed, fc.array(edit, { maxLength: 16 })).map(([input, edits]) => edits.reduce(edited, input))
}

function edited(input: Uint8Array, [position, removed, inserted]: Edit): Uint8Array {
  const at = position % (input.length + 1)
  return Buffer.concat([input.subarray(0, at), inserted, input.subarray(at + removed)]).subarray(0, 4_096)
}

describe.each<[string, Target]>([
  ['path builder', pathBuilder],
  ['raw HTTP response', rawAnswer],
  ['response decoder', responseDecoder],
  ['Retry-After header', retryAfter],
  ['webhook signature', webhookSignature],
])('the fuzz target for the %s', (_, target) => {
  it('passes every seed input', async () => {
    for (const seed of target.seeds) await target.fuzz(seed)
  })

  it('passes mutated inputs', async () => {
    await fc.assert(fc.asyncProperty(mutations(target), async (input) => target.fuzz(input)))
  })
})
