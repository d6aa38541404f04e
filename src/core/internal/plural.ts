/** Returns a count with its noun, for example `1 payment` or `2,000 payments`. */
export function counted(count: number, noun: string): string {
  return `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`
}
