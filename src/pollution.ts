/** What somebody put on `Object.prototype`: every object of options seems to have it. */
export function pollution(): string[] {
  const names: string[] = []
  for (const name in {}) names.push(name)
  return names
}
