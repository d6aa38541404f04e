import { useEffect, useState } from 'preact/hooks'

export const sections = {
  payments: 'Payments',
  requests: 'Requests',
  webhooks: 'Webhooks',
  sessions: 'Sessions',
  'saved-methods': 'Saved methods',
  loyalty: 'Loyalty',
  faults: 'Faults',
  clock: 'Clock',
} as const

export type Section = keyof typeof sections

/** The address of a view, in the fragment of the URL: `#/payments/pay_1?status=SETTLED`. */
export interface Route {
  section: Section
  /** The resource to show, or undefined for the list. */
  id?: string
  query: URLSearchParams
}

export function linkTo(section: Section, id?: string): string {
  return `#/${section}${id === undefined ? '' : `/${encodeURIComponent(id)}`}`
}

export function useRoute(): Route {
  const [hash, setHash] = useState(location.hash)
  useEffect(() => {
    const update = () => setHash(location.hash)
    addEventListener('hashchange', update)
    return () => removeEventListener('hashchange', update)
  }, [])
  return parse(hash)
}

/** Changes the query of the current view without a new entry in the browser's history. */
export function setQuery(changes: Record<string, string>): void {
  const { section, id, query } = parse(location.hash)
  for (const [name, value] of Object.entries(changes)) {
    if (value) query.set(name, value)
    else query.delete(name)
  }
  history.replaceState(null, '', `${linkTo(section, id)}${query.size > 0 ? `?${query}` : ''}`)
  dispatchEvent(new HashChangeEvent('hashchange'))
}

function parse(hash: string): Route {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split('?')
  const [name = '', id] = path.split('/')
  const section = Object.hasOwn(sections, name) ? (name as Section) : 'payments'
  return { section, ...(id && { id: decode(id) }), query: new URLSearchParams(query) }
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}
