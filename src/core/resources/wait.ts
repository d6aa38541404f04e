import {
  AbortedError,
  ApiError,
  ConnectionError,
  PaymentsError,
  RequestValidationError,
  TimeoutError,
} from '../errors.js'
import { isFinal } from '../helpers/payment-facts.js'
import { Deadline, Interrupted } from '../internal/deadline.js'
import { retryDecision } from '../internal/outcome.js'
import type { Runtime } from '../internal/runtime.js'
import { checkOptions, milliseconds, optionsOf, signal } from '../internal/validation.js'
import type { PaymentStatus } from '../schemas/payment.js'

/** Options for `payments.waitFor`. */
export interface WaitOptions {
  /** Maximum duration of the wait, in milliseconds. @default 120000 */
  timeout?: number
  /** Ends the wait when this signal aborts. */
  signal?: AbortSignal
}

/** `waitFor` failed: it timed out, or the payment can no longer reach any of the expected statuses. */
export class WaitError<Payment = unknown> extends PaymentsError {
  override readonly name = 'WaitError'
  readonly code = 'ERR_WAIT'
  readonly #seen: { lastPayment: Payment | undefined; history: readonly string[] }

  constructor(
    readonly reason: 'timeout' | 'impossible',
    message: string,
    lastPayment: Payment | undefined,
    history: readonly string[],
  ) {
    super(message, { operation: 'payments.waitFor' })
    this.#seen = { lastPayment, history }
  }

  /** The most recently retrieved payment. Omitted when the error is printed. */
  get lastPayment(): Payment | undefined {
    return this.#seen.lastPayment
  }

  /** The statuses that the payment had, oldest first. */
  get history(): readonly string[] {
    return this.#seen.history
  }
}

const operation = 'payments.waitFor'
const defaultTimeout = 120_000
const firstDelayMs = 500
const maxDelayMs = 10_000

export async function waitFor<Payment extends { status?: PaymentStatus }>(
  read: (signal: AbortSignal) => PromiseLike<Payment>,
  wanted: PaymentStatus | readonly PaymentStatus[],
  options?: WaitOptions,
  runtime?: Runtime,
): Promise<Payment> {
  const statuses = [wanted].flat()
  const { timeout = defaultTimeout, signal } = checkArguments(statuses, options)
  const deadline = new Deadline(timeout, signal, runtime)
  const history: string[] = []
  let payment: Payment | undefined
  try {
    for (let delayMs = firstDelayMs; ; delayMs = Math.min(delayMs * 1.5, maxDelayMs)) {
      const result = await tryToRead(read, deadline)
      payment = result.payment ?? payment
      if (payment?.status !== undefined) {
        const { status } = payment
        if (status !== history.at(-1)) history.push(status)
        if (statuses.includes(status)) return payment
        if (isFinal(status)) {
          const message = `the payment is ${status}, which is final: it cannot become ${statuses.join(' or ')}`
          throw new WaitError('impossible', message, payment, history)
        }
      }
      await deadline.sleep(Math.max(delayMs, Math.min(result.retryAfterMs ?? 0, timeout)))
    }
  } catch (error) {
    if (!(error instanceof Interrupted)) throw error
    if (error.interruption.kind === 'abort')
      throw new AbortedError({ operation, outcome: 'not_sent', retry: 'same-key' }, error.interruption.reason)
    const message = `the payment did not become ${statuses.join(' or ')} within ${timeout} ms`
    throw new WaitError('timeout', message, payment, history)
  }
}

/** Retrieves the payment. After a temporary error, returns a result without a payment, so that polling continues. */
async function tryToRead<Payment>(
  read: (signal: AbortSignal) => PromiseLike<Payment>,
  deadline: Deadline,
): Promise<{ payment?: Payment; retryAfterMs?: number }> {
  try {
    return { payment: await deadline.run(async (cutoff) => read(cutoff.toSignal())) }
  } catch (error) {
    if (isTemporary(error)) return { retryAfterMs: Object(error).retryAfterMs }
    throw error
  }
}

function isTemporary(error: unknown): boolean {
  if (!(error instanceof ApiError)) return error instanceof ConnectionError || error instanceof TimeoutError
  const { httpStatus: status, errorId } = error
  return retryDecision({ method: 'GET', hasKey: false }, { kind: 'response', status, errorId }).isRetryable
}

const schema = optionsOf<WaitOptions>({ timeout: milliseconds, signal })

function checkArguments(statuses: readonly unknown[], options: WaitOptions | undefined): WaitOptions {
  const { values, issues } = checkOptions(options, schema, { path: ['options'] })
  if (statuses.length === 0 || statuses.some((status) => typeof status !== 'string')) {
    issues.push({
      path: ['statuses'],
      code: 'invalid_type',
      message: 'must be a status or a non-empty array of statuses',
    })
  }
  if (issues.length > 0) throw new RequestValidationError(issues, { operation })
  return values
}
