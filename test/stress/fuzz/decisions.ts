/**
 * Decodes the fuzzer's input into choices, numbers and strings. Any input is valid: past its end, numbers are 0 and
 * strings are empty.
 */
export class Decisions {
  #at = 0

  constructor(readonly input: Uint8Array) {}

  /** Reads a number from 0 to 255. */
  number(): number {
    return this.input[this.#at++] ?? 0
  }

  choose<Choice>(choices: readonly Choice[]): Choice {
    return choices[this.number() % choices.length] as Choice
  }

  /** Reads a length of one byte, and then that many bytes. */
  bytes(): Uint8Array {
    const length = this.number()
    const start = this.#at
    this.#at = Math.min(start + length, this.input.length)
    return this.input.subarray(start, this.#at)
  }

  rest(): Uint8Array {
    return this.input.subarray(this.#at)
  }
}

/** Encodes an input for `Decisions`: numbers for `number`, strings in an array for `bytes`, a string for `rest`. */
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

/** Decodes bytes as UTF-16, so that the string may contain any characters, including lone surrogates. */
export function anyText(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('utf16le')
}
