/**
 * An input of the fuzzer, read as a row of decisions: it changes bytes, where a target wants choices, numbers and text.
 * Past the end everything is 0 or empty, so that every input means something.
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

  /** As many bytes as the next one says. */
  bytes(): Uint8Array {
    const length = this.number()
    const start = this.#at
    this.#at = Math.min(start + length, this.input.length)
    return this.input.subarray(start, this.#at)
  }

  /** All that is left. */
  rest(): Uint8Array {
    return this.input.subarray(this.#at)
  }
}

/** An input to start from: numbers are decisions, a text in a list comes with its length before it, other text is the rest. */
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

/** Bytes as text in which any character may occur, two bytes each: lone surrogates too. */
export function anyText(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('utf16le')
}
