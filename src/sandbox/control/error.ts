import { messageOf, ServiceError } from '../internal/exchange.js'

export class ControlError extends Error {
  constructor(
    readonly status: 400 | 403 | 404 | 405 | 409 | 413 | 415 | 500,
    readonly code: string,
    message: string,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(message)
  }
}

export function invalidArguments(message: string): ControlError {
  return new ControlError(400, 'InvalidArguments', message)
}

export function toControlError(error: unknown): ControlError {
  if (error instanceof ControlError) return error
  if (error instanceof ServiceError) {
    return new ControlError(error.status === 404 ? 404 : 409, error.errorId, error.message)
  }
  return new ControlError(500, 'InternalError', `The sandbox has a bug: ${messageOf(error)}`)
}

export function toActionError(error: unknown): ControlError {
  if (error instanceof TypeError) return invalidArguments(error.message)
  // The methods throw a plain `Error`, never a subclass, if the state does not allow the change.
  const isConflict = Object.getPrototypeOf(error) === Error.prototype
  return isConflict ? new ControlError(409, 'Conflict', messageOf(error)) : toControlError(error)
}
