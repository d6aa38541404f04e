const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'

/**
 * Repeatable randomness for ids, tokens and secrets: the same seed gives the same texts in the same order.
 * Nothing here is a secret in earnest.
 */
export class Random {
  readonly #key: number
  #drawn = 0

  constructor(seed: number | string) {
    this.#key = new TextEncoder().encode(String(seed)).reduce((key, byte) => scramble(key ^ byte), 1)
  }

  /** `pay_` and twenty letters and digits, say. */
  id(prefix: string): string {
    return `${prefix}_${this.text(20)}`
  }

  /** Letters and digits. */
  text(length: number): string {
    let text = ''
    while (text.length < length) text += alphabet[this.#draw() % alphabet.length]
    return text
  }

  /** At least 0 and less than 1. */
  fraction(): number {
    return this.#draw() / 2 ** 32
  }

  snapshot(): number {
    return this.#drawn
  }

  restore(drawn: number): void {
    this.#drawn = drawn
  }

  #draw(): number {
    this.#drawn += 1
    return scramble(scramble(this.#drawn) ^ this.#key)
  }
}

/** A 32-bit number whose every bit depends on every bit of the one given: multiply by a large odd number, fold, repeat. */
function scramble(value: number): number {
  let bits = value
  for (const factor of [0x9e3779b1, 0x85ebca77, 0xc2b2ae3d]) {
    bits = Math.imul(bits + 0x6d2b79f5, factor)
    bits ^= bits >>> 15
  }
  return bits >>> 0
}
