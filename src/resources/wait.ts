import {
  AbortedError,
  ConnectionError,
  RateLimitError,
  RequestValidationError,
  ServerError,
  TimeoutError,
  WaitError,
} from '../errors.js'
import { isFinal } from '../helpers/payment-facts.js'
import { Deadline, Interrupted } from '../internal/deadline.js'
import { unknownNames } from '../internal/issues.js'
import type { PaymentStatus } from '../schemas/payment.js'
import { milliseconds } from '../settings.js'

/** How long to wait for a status. */
export interface WaitOptions {
  /** Milliseconds. @default 120000 */
  timeout?: number
  /** Ends the wait. */
  signal?: AbortSignal
}

const call = { operation: 'payments.waitFor' }

const defaultTimeout = 120_000
const firstPauseMs = 500
const longestPauseMs = 10_000

/** Read until the status is one of these, ever more slowly. */
export async function waitFor<Payment extends { status?: PaymentStatus }>(
  read: (signal: AbortSignal) => PromiseLike<Payment>,
  wanted: PaymentStatus | readonly PaymentStatus[],
  options: WaitOptions = {},
): Promise<Payment> {
  const statuses = [wanted].flat()
  checkArguments(statuses, options)
  const { timeout = defaultTimeout, signal } = options
  const deadline = new Deadline(timeout, signal)
  const history: string[] = []
  let payment: Payment | undefined
  try {
    for (let pause = firstPauseMs; ; pause = Math.min(pause * 1.5, longestPauseMs)) {
      payment = (await readIfPossible(read, deadline)) ?? payment
      if (payment?.status !== undefined) {
        const { status } = payment
        if (status !== history.at(-1)) history.push(status)
        if (statuses.includes(status)) return payment
        if (isFinal(status)) {
          const message = `The payment is ${status}, which is final: it will not become ${statuses.join(' or ')}`
          throw new WaitError('impossible', message, payment, history)
        }
      }
      await deadline.sleep(pause)
    }
  } catch (error) {
    if (!(error instanceof Interrupted)) throw error
    if (error.interruption.kind === 'abort')
      throw new AbortedError({ ...call, outcome: 'not_sent' }, error.interruption.reason)
    const message = `The payment did not become ${statuses.join(' or ')} within ${timeout} ms`
    throw new WaitError('timeout', message, payment, history)
  }
}

/** Read the payment, or leave it for the next time when the failure may have passed by then. */
async function readIfPossible<Payment>(
  read: (signal: AbortSignal) => PromiseLike<Payment>,
  deadline: Deadline,
): Promise<Payment | undefined> {
  try {
    return await deadline.run(async (cutoff) => read(cutoff.toSignal()))
  } catch (error) {
    if (passing.some((kind) => error instanceof kind)) return undefined
    throw error
  }
}

/** Failures to read that may be gone at the next try. */
const passing = [ConnectionError, TimeoutError, ServerError, RateLimitError]

function checkArguments(statuses: readonly unknown[], options: WaitOptions): void {
  const issues = unknownNames(options, ['timeout', 'signal'], ['options'])
  if (statuses.length === 0 || statuses.some((status) => typeof status !== 'string')) {
    issues.push({ path: ['statuses'], message: 'must be a status, or a list of at least one' })
  }
  if (options.signal !== undefined && !(options.signal instanceof AbortSignal)) {
    issues.push({ path: ['options', 'signal'], message: 'must be an AbortSignal' })
  }
  const problem = options.timeout === undefined ? undefined : milliseconds(options.timeout)
  if (problem) issues.push({ path: ['options', 'timeout'], message: problem })
  if (issues.length > 0) throw new RequestValidationError(issues, call)
}
