import type { Issue } from '../../../core/internal/issues.js'

export interface ServiceRequest {
  readonly method: string
  readonly path: string
  readonly headers: Headers
  /** The request body. Undefined if the body is larger than the service accepts. */
  readonly body: string | undefined
  /** Aborts when the client disconnects. */
  readonly signal?: AbortSignal
}

export interface ServiceResponse {
  status: number
  headers: Record<string, string>
  body: string
  /** Milliseconds of real time to wait before sending. */
  delayMs?: number
  ending: ResponseEnding
}

/** The part of a response that is sent, and the state of the connection after it. */
export type ResponseEnding =
  | { readonly kind: 'complete' }
  /** The headers announce a body of `length` bytes, of which only `part` is sent. */
  | {
      readonly kind: 'cut'
      readonly part: Uint8Array<ArrayBuffer>
      readonly length: number
      readonly then: Break | 'close'
    }
  | { readonly kind: 'none'; readonly then: Break }

type Break = 'hang' | 'reset'

/** The largest request body that the service accepts. */
export const maxBodyBytes = 1024 * 1024

/** The service without its HTTP layer. It responds to every request and never throws. */
export type Service = (request: ServiceRequest) => Promise<ServiceResponse>

interface ErrorDetails {
  part?: 'body' | 'query'
  issues?: readonly Issue[]
  paymentId?: string
  /** The HTTP method that the endpoint requires, for the header `Allow`. */
  allow?: string
}

export class ServiceError extends Error {
  constructor(
    readonly status: number,
    readonly errorId: string,
    description: string,
    readonly details: ErrorDetails = {},
  ) {
    super(description)
  }

  toResponse(diagnosticsId: string): ServiceResponse {
    const { part, issues, paymentId } = this.details
    const validationErrors = issues && [{ model: part, errors: issues.map(toValidationError) }]
    return jsonResponse(
      { error: { errorId: this.errorId, description: this.message, diagnosticsId, validationErrors, paymentId } },
      this.status,
    )
  }
}

export function jsonResponse(value: unknown, status = 200): ServiceResponse {
  const headers = { 'content-type': 'application/json' }
  return { status, headers, body: JSON.stringify(value), ending: { kind: 'complete' } }
}

function toValidationError({ path, message }: Issue) {
  const steps = path.map((key) => (typeof key === 'number' ? `[${key}]` : `.${key}`))
  return { path: `$${steps.join('')}`, description: message }
}

export function invalidRequest(part: 'body' | 'query', issues: readonly Issue[]): ServiceError {
  return new ServiceError(400, 'RequestValidationFailed', `The ${part} of the request is invalid`, { part, issues })
}

export function invalidField(field: string, message: string): ServiceError {
  return invalidRequest('body', [{ path: [field], message, code: 'invalid_value' }])
}

export function paymentError(
  { id: paymentId }: { id: string },
  status: number,
  errorId: string,
  description: string,
): ServiceError {
  return new ServiceError(status, errorId, description, { paymentId })
}

/**
 * Returns the message of the error's `cause`, or of the error itself if it has no `cause`. If the message is empty,
 * returns the code, for example `ECONNREFUSED`.
 */
export function causeMessageOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  if (!(cause instanceof Error)) return String(cause)
  const { message, code, name } = cause as Error & { code?: unknown }
  return message || String(code ?? name)
}
