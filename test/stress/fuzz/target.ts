/** Something to be fuzzed. Each file here whose name is no other's support exports one, and says what must hold. */
export interface Target {
  /** Inputs to start from. */
  readonly seeds: readonly Uint8Array[]
  /** Words that inputs are likely to need. */
  readonly words: readonly string[]
  /** Try one input. What is thrown is a finding. */
  readonly fuzz: (input: Uint8Array) => void | Promise<void>
}
