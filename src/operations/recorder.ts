import type { ApiVersion } from '../core/contract/version.js'
import { sha256 } from '../core/internal/bytes.js'
import { journalFunctions } from '../core/internal/journal-functions.js'
import type { Journal } from '../core/options.js'
import { identityOf } from '../core/transport/idempotency.js'
import type { Recorder, Transport } from '../core/transport/transport.js'
import { type Claimed, claim } from './claim.js'
import { Execution, type ExecutionOptions } from './execution.js'
import { newOperation } from './intent.js'
import type { JournalOptions, JournalSettings, JournalStore } from './journal.js'
import { Operations } from './operations.js'

/** The functions of a journal that the client calls. */
export interface JournalFunctions extends Recorder {
  operations<V extends ApiVersion, Transaction>(transport: Transport<V>): Operations<V, Transaction>
}

const defaultKeyLifetimeMs = 24 * 60 * 60 * 1000
const defaultRememberForMs = 90 * 24 * 60 * 60 * 1000

/** Milliseconds for which `prune` keeps the request bodies of finished operations. */
const keepBodiesForMs = 7 * 24 * 60 * 60 * 1000

/** Creates a journal from its database. */
export function toJournal<Transaction>(store: JournalStore, options: JournalOptions): Journal<Transaction> {
  const { keyLifetime = defaultKeyLifetimeMs, resendFor, storeBodies = true } = options
  const { rememberFor: recordsMs = defaultRememberForMs } = options
  const settings: JournalSettings = { store, keyLifetime, resendFor, storeBodies, clockOffset: undefined }
  const functions: JournalFunctions = {
    record: (call, send, transport) => recordCall(settings, call, send, transport),
    operations: (transport) => new Operations(settings, transport),
  }
  return {
    migrate: () => store.migrate(),
    prune: () => store.prune({ recordsMs, bodiesMs: keepBodiesForMs }),
    [journalFunctions]: functions,
  }
}

/** Records a call with an idempotency key that was not planned, for example a call of `client.payments.refund`. */
async function recordCall(
  settings: JournalSettings,
  ...[call, send, transport]: Parameters<Recorder['record']>
): ReturnType<Recorder['record']> {
  const { store } = settings
  // The other options also apply to the requests that fetch the payment.
  const { idempotencyKey: _, extraBody: __, allowSecondPayment, ...requestOptions } = call.request.options
  const fingerprint = await sha256(identityOf(call))
  const values = { key: String(call.idempotencyKey), fingerprint, allowSecondPayment }
  const facts = () => call.facts()
  const given = newOperation(settings, transport, call.request, values, facts)
  const { key, baseUrl } = given
  const { deadline } = call
  const claiming = claim({ store, key, given, baseUrl, deadline, runtime: transport.settings.runtime, facts })
  const options: ExecutionOptions = { by: 'call', deadline, request: requestOptions }
  return new Execution(settings, transport, (await claiming) as Claimed, options).advanceWithin(call, send)
}
