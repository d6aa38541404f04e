import type { Issue } from '../internal/issues.js'

/** The object that holds a value, and under which key. */
type Place = { readonly holder: object; readonly key: string } | undefined

/**
 * Fields that a body has only through its class, such as getters. Checks see them, but they are not written as JSON; and an
 * amount that is left out means the full amount. So they are refused.
 */
export function inheritedFields(body: object): Issue[] {
  const issues: Issue[] = []
  const places = new Map<object, Place>([[body, undefined]])
  for (const value of places.keys()) {
    for (const name of namesOnPrototypes(value)) {
      const message = 'is inherited, so it would not be sent: copy it into a plain object'
      issues.push({ path: [...pathTo(value, places), name], message })
    }
    for (const [key, inner] of Object.entries(value)) {
      if (typeof inner === 'object' && inner !== null && !places.has(inner)) places.set(inner, { holder: value, key })
    }
  }
  return issues
}

function namesOnPrototypes(value: object): string[] {
  if (Array.isArray(value)) return []
  const names: string[] = []
  let prototype = Object.getPrototypeOf(value)
  while (prototype !== null && Object.getPrototypeOf(prototype) !== null) {
    for (const [name, property] of Object.entries(Object.getOwnPropertyDescriptors(prototype))) {
      if (typeof property.value !== 'function') names.push(name)
    }
    prototype = Object.getPrototypeOf(prototype)
  }
  return names
}

function pathTo(value: object, places: ReadonlyMap<object, Place>): Issue['path'] {
  const path: (string | number)[] = []
  for (let place = places.get(value); place !== undefined; place = places.get(place.holder)) {
    path.unshift(Array.isArray(place.holder) ? Number(place.key) : place.key)
  }
  return path
}
