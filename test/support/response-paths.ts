export type Path = readonly (string | number)[]

/** Fields that may contain any value. */
const open = ['metadata', 'surcharge']

/** Returns the path of every value in a response, parents first, except inside the open fields. */
export function pathsOf(response: unknown, path: Path = []): Path[] {
  if (typeof response !== 'object' || response === null || open.includes(String(path.at(-1)))) return []
  return Object.entries(response).flatMap(([name, value]) => {
    const here = [...path, Array.isArray(response) ? Number(name) : name]
    return [here, ...pathsOf(value, here)]
  })
}

export function valueAt(response: unknown, path: Path): unknown {
  return path.reduce<unknown>((value, key) => Reflect.get(Object(value), key), response)
}

/** Copies a response, and replaces the value at a path. */
export function withValue<T extends object>(response: T, path: Path, value: unknown): T {
  const copy = JSON.parse(JSON.stringify(response)) as T
  Reflect.set(valueAt(copy, path.slice(0, -1)) as object, path.at(-1) as string, value)
  return copy
}

/** Copies a response, and deletes the value at a path. */
export function without<T extends object>(response: T, path: Path): T {
  const copy = JSON.parse(JSON.stringify(response)) as T
  Reflect.deleteProperty(valueAt(copy, path.slice(0, -1)) as object, path.at(-1) as string)
  return copy
}
