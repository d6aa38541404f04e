/** Rows by key, in the order in which they came. Rows are plain JSON. */
export class Table<Row> {
  #rows = new Map<string, Row>()

  get(key: string): Row | undefined {
    return this.#rows.get(key)
  }

  set(key: string, row: Row): void {
    this.#rows.set(key, row)
  }

  /** Whether there was such a row. */
  delete(key: string): boolean {
    return this.#rows.delete(key)
  }

  rows(): Row[] {
    return [...this.#rows.values()]
  }

  snapshot(): [string, Row][] {
    return [...this.#rows]
  }

  restore(rows: readonly [string, Row][]): void {
    this.#rows = new Map(rows)
  }
}
