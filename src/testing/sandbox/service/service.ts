import { paymentIn } from '../../../core/contract/operation.js'
import { cartOf } from '../../../core/contract/version.js'
import type { Context } from '../domain/context.js'
import { fromOrder, toOrder } from '../domain/fields.js'
import {
  jsonResponse,
  maxBodyBytes,
  type Service,
  ServiceError,
  type ServiceRequest,
  type ServiceResponse,
} from '../internal/exchange.js'
import type { SandboxSettings } from '../internal/options.js'
import type { ApiKeys } from './api-keys.js'
import { applyFault, type FaultQueue } from './faults.js'
import { findRoute, type Match, readBody, readQuery } from './request.js'
import type { RequestLog } from './request-log.js'

export function createService(context: Context, keys: ApiKeys, faults: FaultQueue, log: RequestLog): Service {
  const errorResponse = (error: unknown) => {
    const serviceError =
      error instanceof ServiceError
        ? error
        : new ServiceError(500, 'InternalServerError', `The sandbox has a bug: ${(error as Error).message}`)
    return serviceError.toResponse(context.random.id('diag'))
  }

  return async (request) => {
    const finish = log.start(request)
    let match: Match | undefined
    let paymentId: string | undefined
    let response: ServiceResponse
    const respond = () => {
      try {
        const result = perform(request, match, keys, context)
        if (match?.operation.name === 'payments.create') paymentId = (result as { id: string }).id
        return jsonResponse(result)
      } catch (error) {
        if (error instanceof ServiceError) paymentId ??= error.details.paymentId
        return errorResponse(error)
      }
    }
    try {
      match = findRoute(request.method, request.path.replace(/\?.*/s, ''))
      paymentId = match && paymentIn(match)
      const fault = faults.take(match?.operation.name)
      response = fault ? await applyFault(fault, respond, context.clock, request.signal) : respond()
    } catch (error) {
      response = errorResponse(error)
    }
    finish(response, match?.operation.name, paymentId)
    return { ...response, headers: { date: context.clock.now().toUTCString(), ...response.headers } }
  }
}

function perform(request: ServiceRequest, match: Match | undefined, keys: ApiKeys, context: Context): object {
  const { path, headers, body: json } = request
  if (json === undefined) {
    throw new ServiceError(413, 'RequestTooLarge', `The body of the request must have at most ${maxBodyBytes} bytes`)
  }
  if (!match) throw new ServiceError(404, 'RouteNotFound', 'The service has no such endpoint')
  const { operation, handler, params } = match
  keys.authorize(headers.get('x-api-key'), operation.scope)
  const apiVersion = headers.get('x-api-version') || '2021-09-27'
  const cart = cartOf(apiVersion)
  const originalBody = readBody(operation, cart, json)
  const body = toOrder(cart, originalBody)
  const query = readQuery(operation, new URLSearchParams(path.replace(/^[^?]*/, '')))
  const idempotencyKey = (operation.class === 'keyed' && headers.get('x-idempotency-key')) || undefined
  const recordEffect = (resourceId: string, amount?: number) =>
    context.ledger.record(operation.name, resourceId, amount, idempotencyKey)
  const act = () => {
    const result = handler({ params, query, body, originalBody, apiVersion, cart, recordEffect }, context)
    const isVersioned = operation.response.order !== operation.response.lineItems
    return isVersioned ? fromOrder(cart, result) : result
  }
  return idempotencyKey === undefined
    ? act()
    : actOnce(`${operation.name} ${path} ${idempotencyKey}`, json, act, context)
}

/** Performs an operation once per idempotency key. After an error or `keyLifetime`, the key can be used again. */
function actOnce(key: string, request: string, act: () => object, { store, settings, clock }: Context): object {
  const first = store.idempotency.get(key)
  const now = clock.now().getTime()
  const isForgotten = now - (first?.at ?? now) >= (settings.keyLifetime ?? Number.POSITIVE_INFINITY)
  if (!first || isForgotten) {
    const response = act() as { id: string }
    store.idempotency.set(key, { request, response, at: now })
    return response
  }
  const { id } = first.response
  if (settings.idempotency !== 'replay') throw keyConflict(settings.idempotency, id)
  if (first.request === request) return first.response
  const description = 'The idempotency key was used before, with another body'
  throw new ServiceError(409, 'IdempotencyKeyReused', description, { paymentId: id })
}

/** Returns the error for an idempotency key that was used before. */
export function keyConflict(mode: SandboxSettings['idempotency'], paymentId: string): ServiceError {
  const [status, prefix] = mode === 'conflict-400' ? [400, 'TransactionRequest'] : [409, '']
  const errorId = `${prefix}IdempotencyKeyAlreadyExists`
  return new ServiceError(status, errorId, 'The idempotency key was used before', { paymentId })
}
