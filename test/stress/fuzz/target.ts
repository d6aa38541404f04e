/** A fuzz target. Each `*.fuzz.ts` file exports one and documents the property that it checks. */
export interface Target {
  readonly seeds: readonly Uint8Array[]
  /** Words that the fuzzer inserts into inputs. */
  readonly words: readonly string[]
  /** Runs one input. Throws if the property is violated. */
  readonly fuzz: (input: Uint8Array) => void | Promise<void>
}
