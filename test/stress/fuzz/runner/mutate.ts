/** Returns a seeded generator of numbers from 0 to less than 1 (Mulberry32). */
export function randomFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** The maximum length of an input in bytes. */
const longest = 4096

type Edit = (input: Buffer, at: number, upTo: (limit: number) => number) => Uint8Array[]

const edits: readonly Edit[] = [
  // Replace a byte, flip one of its bits, or change it by at most 4.
  (input, at, upTo) => [input.subarray(0, at), Uint8Array.of(upTo(256)), input.subarray(at + 1)],
  (input, at, upTo) => [
    input.subarray(0, at),
    Uint8Array.of((input[at] ?? 0) ^ (1 << upTo(8))),
    input.subarray(at + 1),
  ],
  (input, at, upTo) => [input.subarray(0, at), Uint8Array.of((input[at] ?? 0) + upTo(9) - 4), input.subarray(at + 1)],
  // Insert a byte, delete a few bytes, or duplicate a few bytes.
  (input, at, upTo) => [input.subarray(0, at), Uint8Array.of(upTo(256)), input.subarray(at)],
  (input, at, upTo) => [input.subarray(0, at), input.subarray(at + 1 + upTo(16))],
  (input, at, upTo) => [input.subarray(0, at + 1 + upTo(16)), input.subarray(at)],
]

/** Returns a mutated copy of a random input, which may contain words and parts of other inputs. */
export function mutate(inputs: readonly Uint8Array[], words: readonly string[], random: () => number): Buffer {
  const upTo = (limit: number) => Math.floor(random() * limit)
  const pick = <Item>(items: readonly Item[]) => items[upTo(items.length)] as Item
  let input = Buffer.from(pick(inputs))
  for (let round = 2 ** upTo(5); round > 0; round--) {
    const at = upTo(input.length + 1)
    const kind = upTo(edits.length + 3)
    const edit = edits[kind]
    if (edit) input = Buffer.concat(edit(input, at, upTo))
    else if (kind === edits.length && words.length > 0) input = spliced(input, at, Buffer.from(pick(words)))
    else input = spliced(input, at, piece(pick(inputs), upTo))
  }
  return input.subarray(0, longest)
}

function spliced(input: Buffer, at: number, insert: Uint8Array): Buffer<ArrayBuffer> {
  return Buffer.concat([input.subarray(0, at), insert, input.subarray(at)])
}

function piece(input: Uint8Array, upTo: (limit: number) => number): Uint8Array {
  const start = upTo(input.length + 1)
  return input.subarray(start, start + upTo(input.length - start + 1))
}
