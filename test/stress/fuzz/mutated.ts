import fc from 'fast-check'

/** Generates the given texts with up to 16 edits. Edits may insert the given words or any bytes. */
export function mutated(texts: readonly string[], words: readonly string[]): fc.Arbitrary<Uint8Array> {
  const inserted = fc.oneof(
    fc.uint8Array({ maxLength: 4 }),
    fc.constantFrom(...words, ...texts).map((word) => Buffer.from(word)),
  )
  const edit = fc.record({ position: fc.nat(4_096), removed: fc.nat(16), inserted })
  return fc.tuple(fc.constantFrom(...texts), fc.array(edit, { maxLength: 16 })).map(([text, edits]) => {
    let bytes: Uint8Array = Buffer.from(text)
    for (const { position, removed, inserted } of edits) {
      const at = position % (bytes.length + 1)
      bytes = Buffer.concat([bytes.subarray(0, at), inserted, bytes.subarray(at + removed)])
    }
    return bytes.subarray(0, 4_096)
  })
}
