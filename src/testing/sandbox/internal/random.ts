const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'

/**
 * Generates IDs, tokens and secrets from a seed. The same seed produces the same values in the same order. Unsuitable
 * for real secrets.
 */
export class Random {
  #key = 0
  #drawn = 0

  constructor(seed: number | string) {
    this.reseed(seed)
  }

  /** Switches to the sequence of another seed, at the same position: after five values, the next value is the sixth. */
  reseed(seed: number | string): void {
    this.#key = new TextEncoder().encode(String(seed)).reduce((key, byte) => scramble(key ^ byte), 1)
  }

  id(prefix: string): string {
    let id = `${prefix}_`
    for (let length = 0; length < 20; length++) id += alphabet[this.#draw() % alphabet.length]
    return id
  }

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

/** Mixes 32 bits: every output bit depends on every input bit. */
function scramble(value: number): number {
  let bits = value
  for (const factor of [0x9e3779b1, 0x85ebca77, 0xc2b2ae3d]) {
    bits = Math.imul(bits + 0x6d2b79f5, factor)
    bits ^= bits >>> 15
  }
  return bits >>> 0
}
