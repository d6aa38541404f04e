import type * as z from 'zod'
import type { actions } from '../sandbox/control/actions.js'
import type { RowPage, views } from '../sandbox/control/views.js'
import { announce } from './live/live.js'

type Output<E extends { run(...args: never): unknown }> = Awaited<ReturnType<E['run']>>

export type Path = keyof typeof views
export type Response<P extends Path> = Output<(typeof views)[P]>
export type ListPath = { [P in Path]: Response<P> extends RowPage<unknown> ? P : never }[Path]
export type Row<P extends ListPath> = Response<P> extends RowPage<infer R> ? R : never

export type ActionName = keyof typeof actions
export type Arguments<A extends ActionName> = z.output<(typeof actions)[A]['input']>
export type ActionResult<A extends ActionName> = Output<(typeof actions)[A]>

export type PaymentDetails = Response<'payments/:id'>
export type RecordedRequest = Row<'requests'>
export type RecordedDelivery = Row<'deliveries'>

export class ApiError extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message)
  }
}

/** @param parameters The `:id` of the path, and query parameters. Undefined and empty values are omitted. */
export function get<P extends Path>(
  path: P,
  { id = '', ...query }: { [name: string]: string | undefined } = {},
): Promise<Response<P>> {
  const set = Object.entries(query).filter((entry): entry is [string, string] => Boolean(entry[1]))
  const url = path.replace(':id', encodeURIComponent(id))
  return send(set.length > 0 ? `${url}?${new URLSearchParams(set)}` : url)
}

export async function act<A extends ActionName>(name: A, args: Arguments<A>): Promise<ActionResult<A>> {
  const headers = { 'content-type': 'application/json' }
  const result: ActionResult<A> = await send(`actions/${name}`, { method: 'POST', headers, body: JSON.stringify(args) })
  // Some actions cause no event, such as `subscribe`.
  announce('changed')
  return result
}

/** Performs an action, and returns the message to show. */
export async function perform<A extends ActionName>(
  name: A,
  args: Arguments<A>,
  success: string | ((result: ActionResult<A>) => string),
): Promise<string> {
  const result = await act(name, args)
  return typeof success === 'string' ? success : success(result)
}

/** The keywords of JSON Schema that forms use. */
export interface JsonSchema {
  readonly type?: string | readonly string[]
  readonly enum?: readonly string[]
  readonly const?: string
  readonly anyOf?: readonly JsonSchema[]
  readonly items?: JsonSchema
  readonly format?: string
  readonly description?: string
  readonly default?: unknown
  readonly examples?: readonly unknown[]
}

export interface ArgumentsSchema {
  readonly properties: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
}

let allArguments: Promise<Record<ActionName, ArgumentsSchema>> | undefined

/** Returns the schema of an action's arguments. */
export async function argumentsOf(action: ActionName): Promise<ArgumentsSchema> {
  allArguments ??= send('arguments')
  return (await allArguments)[action]
}

async function send<T>(path: string, init?: RequestInit): Promise<T> {
  const response = await fetch(`api/${path}`, init).catch(() => {
    throw new ApiError(0, 'The sandbox does not respond')
  })
  const body = await response.json().catch(() => undefined)
  if (!response.ok)
    throw new ApiError(response.status, body?.error?.message ?? `The sandbox responded ${response.status}`)
  return body
}
