import { causeMessageOf, ServiceError } from '../internal/exchange.js'

export function invalidArguments(message: string): ServiceError {
  return new ServiceError(400, 'InvalidArguments', message)
}

export function methodNotAllowed(message: string, allow: string): ServiceError {
  return new ServiceError(405, 'MethodNotAllowed', message, { allow })
}

/** Converts an error that a sandbox method threw to an error response of the control API. */
export function toServiceError(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error
  if (error instanceof TypeError) return invalidArguments(error.message)
  // If the state does not allow a change, the sandbox's methods throw a plain `Error` instead of a subclass.
  if (Object.getPrototypeOf(error) === Error.prototype) return new ServiceError(409, 'Conflict', causeMessageOf(error))
  return new ServiceError(500, 'InternalError', `The sandbox has a bug: ${causeMessageOf(error)}`)
}
