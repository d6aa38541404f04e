import type { AnyOperation } from '../../contract/operation.js'
import { type Shape, shapeOf } from '../../contract/version.js'
import type { Desk } from '../domain/context.js'
import { type FaultScript, strike } from '../faults/faults.js'
import type { Happened } from '../handlers/handler.js'
import { Refusal } from '../refusal.js'
import type { Ledger } from '../store/ledger.js'
import type { ApiKeys } from './api-keys.js'
import { envelope } from './envelope.js'
import type { Exchange, Reply, Service } from './exchange.js'
import type { Idempotency } from './idempotency.js'
import { readBody, readQuery } from './reading.js'
import { findRoute, type Match } from './router.js'
import { fromShape, toShape } from './versions.js'

interface Parts {
  readonly desk: Desk
  readonly faults: FaultScript
  readonly keys: ApiKeys
  readonly idempotency: Idempotency
  readonly ledger: Ledger
}

/** The service: a request in, an answer out, whatever happens. */
export function createService(parts: Parts): Service {
  return {
    async handle(exchange) {
      const [path, query] = exchange.path.split(/\?(.*)/s) as [string, string?]
      try {
        const match = findRoute(exchange.method, path)
        const fault = parts.faults.take(match?.operation.name)
        const act = () => answer(exchange, match, new URLSearchParams(query), parts)
        return fault ? await strike(fault, act, exchange.signal) : act()
      } catch (error) {
        return refused(error, parts)
      }
    },
  }
}

/** What the service answers when nothing goes wrong on the way. */
function answer(exchange: Exchange, match: Match | undefined, query: URLSearchParams, parts: Parts): Reply {
  try {
    if (!match) throw new Refusal(404, 'RouteNotFound', 'The service has no such endpoint')
    parts.keys.admit(exchange.headers.get('x-api-key'), match.operation.scope)
    return perform(exchange, match, query, parts)
  } catch (error) {
    return refused(error, parts)
  }
}

function perform(exchange: Exchange, match: Match, query: URLSearchParams, { desk, ledger, ...parts }: Parts): Reply {
  const { operation, handler, params } = match
  const shape = shapeOf(exchange.headers.get('x-api-version') || '2021-09-27')
  const written = readBody(operation, shape, exchange.body)
  const body = fromShape(shape, written)
  const key = (operation.class === 'keyed' && exchange.headers.get('x-idempotency-key')) || undefined
  const happened: Happened = (resourceId, amount) => {
    const at = desk.clock.now().toISOString()
    ledger.record({ operation: operation.name, resourceId, amount, idempotencyKey: key, at })
  }
  const call = { params, query: readQuery(operation, query), body, shape, written, happened }
  const act = () => presentedAs(shape, operation, handler(call, desk))
  if (key === undefined) return ok(act())
  return ok(parts.idempotency.once(`${operation.name} ${exchange.path} ${key}`, exchange.body, act))
}

function presentedAs(shape: Shape, { response }: AnyOperation, result: object): object {
  return response['2021-09-27'] === response['2.1'] ? result : toShape(shape, result)
}

function ok(result: object): Reply {
  return { status: 200, headers: { 'content-type': 'application/json' }, body: JSON.stringify(result) }
}

function refused(error: unknown, { desk }: Parts): Reply {
  const refusal =
    error instanceof Refusal
      ? error
      : new Refusal(500, 'InternalServerError', `The sandbox has a bug: ${(error as Error).message}`)
  return envelope(refusal, desk.random.id('diag'))
}
