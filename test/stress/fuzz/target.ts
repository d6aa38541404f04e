/** A fuzz target. Each `*.fuzz.ts` file exports one, and documents its property. */
export interface Target {
  /** Seed inputs. */
  readonly seeds: readonly Uint8Array[]
  /** A dictionary of useful words. */
  readonly words: readonly string[]
  /** Runs one input. Throws if the property is violated. */
  readonly fuzz: (input: Uint8Array) => void | Promise<void>
}
