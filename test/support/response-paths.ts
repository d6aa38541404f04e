export type Path = readonly (string | number)[]

/** What the specification leaves open: its content is not looked at. */
const open = ['metadata', 'surcharge']

/** Where every value of an answer stands, from the outside in, but for what lies inside open ones. */
export function pathsOf(answer: unknown, path: Path = []): Path[] {
  if (typeof answer !== 'object' || answer === null || open.includes(String(path.at(-1)))) return []
  return Object.entries(answer).flatMap(([name, value]) => {
    const here = [...path, Array.isArray(answer) ? Number(name) : name]
    return [here, ...pathsOf(value, here)]
  })
}

export function valueAt(answer: unknown, path: Path): unknown {
  return path.reduce<unknown>((value, key) => Reflect.get(value as object, key), answer)
}

/** A copy of the answer with another value in one place. */
export function withValue<T extends object>(answer: T, path: Path, value: unknown): T {
  const copy = JSON.parse(JSON.stringify(answer)) as T
  Reflect.set(valueAt(copy, path.slice(0, -1)) as object, path.at(-1) as string, value)
  return copy
}

/** A copy of the answer without the value in one place. */
export function without<T extends object>(answer: T, path: Path): T {
  const copy = JSON.parse(JSON.stringify(answer)) as T
  Reflect.deleteProperty(valueAt(copy, path.slice(0, -1)) as object, path.at(-1) as string)
  return copy
}
