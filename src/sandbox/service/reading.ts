import type { AnyOperation } from '../../contract/operation.js'
import type { Shape } from '../../contract/version.js'
import type { Issue } from '../../internal/issues.js'
import { type Checked, check, type Zod } from '../../schemas/schema.js'
import { unknown } from '../options.js'
import { invalid, Refusal } from '../refusal.js'

/** The query of a request, by the names of the contract. */
export function readQuery({ query }: AnyOperation, parameters: URLSearchParams): unknown {
  if (!query) return undefined
  const names = Object.entries<string>(query.names)
  refuseUnknown([...parameters.keys()], Object.values(query.names))
  const given = names.filter(([, spelling]) => parameters.has(spelling))
  const texts = Object.fromEntries(given.map(([name, spelling]) => [name, parameters.getAll(spelling).join(',')]))
  const checked = check(query.schema.sent as Zod<unknown>, texts)
  return checked.issues ? readNumbers(query, texts, checked.issues) : checked.value
}

/** In a query everything is text: where the contract does not take the text, it wants the number. */
function readNumbers(
  { schema, names }: NonNullable<AnyOperation['query']>,
  texts: Record<string, string>,
  issues: readonly Issue[],
): unknown {
  const values: Record<string, unknown> = { ...texts }
  for (const { path } of issues) {
    const name = String(path[0])
    if (/^-?\d+$/.test(texts[name] ?? '')) values[name] = Number(texts[name])
  }
  return accepted('query', check(schema.sent as Zod<unknown>, values), names)
}

function refuseUnknown(given: readonly string[], known: readonly string[]): void {
  const strange = given.filter((name) => !known.includes(name))
  if (strange.length === 0) return
  throw invalid(
    'query',
    strange.map((name) => ({ path: [name], message: unknown('parameter', name, known) })),
  )
}

/** The body of a request, in the shape of its version. No body at all says as much as an empty object. */
export function readBody({ body }: AnyOperation, shape: Shape, text: string): object {
  if (!body) return {}
  return accepted('body', check(body[shape].sent as Zod<unknown>, text === '' ? {} : parsed(text))) as object
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new Refusal(400, 'MalformedRequest', 'The body of the request is not JSON')
  }
}

/** The value, or a refusal that names the fields in the service's own spelling. */
function accepted(part: 'body' | 'query', checked: Checked<unknown>, spelling: Record<string, string> = {}): unknown {
  if (!checked.issues) return checked.value
  throw invalid(
    part,
    checked.issues.map(({ path: [field, ...rest], message }) => ({
      path: field === undefined ? [] : [spelling[field] ?? field, ...rest],
      message,
    })),
  )
}
