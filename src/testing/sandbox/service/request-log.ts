import type { VirtualClock } from '../internal/clock.js'
import type { ServiceRequest, ServiceResponse } from '../internal/exchange.js'
import type { Notify } from '../internal/feed.js'
import { mask, maskText, maxTotalLength, truncated } from '../internal/mask.js'
import { Random } from '../internal/random.js'
import type { OperationName } from './faults.js'

/**
 * A request to the service, and its response. API keys and signing secrets are masked. Bodies have at most
 * 64 KiB.
 */
export interface RequestRecord {
  readonly id: string
  /** Time of the request on the sandbox's clock, ISO 8601 in UTC. */
  readonly at: string
  /** Name of the operation. Absent if the service has no such endpoint. */
  readonly operation?: OperationName
  readonly method: string
  /** The path and query of the request. */
  readonly path: string
  readonly requestHeaders: Readonly<Record<string, string>>
  readonly requestBody: string
  /** HTTP status of the response. Absent if a fault prevented the response. */
  readonly status?: number
  /** The response body, up to the byte where a fault cut it off. */
  readonly responseBody: string
  /** The duration of the request, in milliseconds of real time. */
  readonly durationMs: number
  /** The User-Agent header. Absent if the request has no such header. */
  readonly userAgent?: string
}

const maxRequests = 10_000

/** Request headers whose whole value is secret. */
const secretHeaders = ['x-api-key', 'authorization', 'proxy-authorization', 'cookie']

export class RequestLog {
  /** The recorded requests, oldest first. */
  readonly records: RequestRecord[] = []
  readonly #paymentIds = new WeakMap<RequestRecord, string>()
  readonly #random = new Random(Math.random())
  #totalLength = 0

  constructor(
    private readonly clock: VirtualClock,
    private readonly notify: Notify,
  ) {}

  /** Starts recording a request. Call the returned function with the response. */
  start(request: ServiceRequest): (response: ServiceResponse, operation?: string, paymentId?: string) => void {
    const at = this.clock.now().toISOString()
    const startedAt = performance.now()
    return (response, operation, paymentId) => {
      const userAgent = request.headers.get('user-agent')
      const durationMs = performance.now() - startedAt + (response.delayMs ?? 0)
      const record: RequestRecord = {
        id: this.#random.id('request'),
        at,
        ...(operation !== undefined && { operation: operation as OperationName }),
        method: request.method,
        path: maskText(request.path),
        requestHeaders: maskHeaders(request.headers),
        requestBody: recordedBody(request.body ?? ''),
        ...sentPart(response),
        durationMs: Math.round(durationMs * 1000) / 1000,
        ...(userAgent !== null && { userAgent: maskText(userAgent) }),
      }
      this.records.push(record)
      this.#totalLength += lengthOf(record)
      while (this.records.length > maxRequests || this.#totalLength > maxTotalLength) this.#removeOldest()
      if (paymentId !== undefined) this.#paymentIds.set(record, paymentId)
      this.notify('request', { requestId: record.id, paymentId })
    }
  }

  of(paymentId: string): RequestRecord[] {
    return this.records.filter((record) => this.#paymentIds.get(record) === paymentId)
  }

  clear(): void {
    this.records.length = 0
    this.#totalLength = 0
  }

  #removeOldest(): void {
    const oldest = this.records.shift()
    if (oldest) this.#totalLength -= lengthOf(oldest)
  }
}

const lengthOf = ({ requestBody, responseBody }: RequestRecord) => requestBody.length + responseBody.length

function maskHeaders(headers: Headers): Record<string, string> {
  const masked = [...headers].map(([name, value]) => [name, secretHeaders.includes(name) ? mask : maskText(value)])
  return Object.fromEntries(masked)
}

function recordedBody(body: string): string {
  return truncated(maskText(body))
}

/** Returns the part of a response that was sent. A fault may have cut it off. */
function sentPart({ status, body, ending }: ServiceResponse) {
  if (ending.kind === 'none') return { responseBody: '' }
  return { status, responseBody: recordedBody(ending.kind === 'cut' ? new TextDecoder().decode(ending.part) : body) }
}
