/** Returns the known name most similar to a misspelt one, or undefined if none is similar. */
export function nearest(name: string, known: readonly string[]): string | undefined {
  const ranked = known
    .map((candidate) => ({ candidate, distance: distance(name.toLowerCase(), candidate.toLowerCase()) }))
    .sort((a, b) => a.distance - b.distance)
  const best = ranked[0]
  return best && best.distance <= Math.max(2, name.length / 2) ? best.candidate : undefined
}

/** Returns the Levenshtein distance: the number of letters to add, remove or replace. */
function distance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, column) => column)
  for (const [index, letter] of [...from].entries()) {
    const next = [index + 1]
    for (let column = 1; column <= to.length; column++) {
      const replaced = (row[column - 1] as number) + (letter === to[column - 1] ? 0 : 1)
      next.push(Math.min(replaced, (row[column] as number) + 1, (next[column - 1] as number) + 1))
    }
    row = next
  }
  return row[to.length] as number
}
