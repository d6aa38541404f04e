/**
 * Decodes an input of the fuzzer to choices, numbers and strings. Past the end of the input every value is 0 or empty, so
 * every input is valid.
 */
export class Decisions {
  #at = 0

  constructor(readonly input: Uint8Array) {}

  /** 0 to 255. */
  number(): number {
    return this.input[this.#at++] ?? 0
  }

  choose<Choice>(choices: readonly Choice[]): Choice {
    return choices[this.number() % choices.length] as Choice
  }

  /** Bytes, after a byte with their number. */
  bytes(): Uint8Array {
    const length = this.number()
    const start = this.#at
    this.#at = Math.min(start + length, this.input.length)
    return this.input.subarray(start, this.#at)
  }

  /** The remaining bytes. */
  rest(): Uint8Array {
    return this.input.subarray(this.#at)
  }
}

/** Encodes a seed input: numbers are decisions, strings in an array have a length prefix, any other string is the rest. */
export function seed(...parts: readonly (number | string | readonly [string])[]): Uint8Array {
  return Buffer.concat(
    parts.map((part) => {
      if (typeof part === 'number') return Uint8Array.of(part)
      if (typeof part === 'string') return Buffer.from(part)
      const bytes = Buffer.from(part[0])
      return Buffer.concat([Uint8Array.of(bytes.length), bytes])
    }),
  )
}

/** Decodes bytes to a string of any characters, two bytes each, including lone surrogates. */
export function anyText(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('utf16le')
}
