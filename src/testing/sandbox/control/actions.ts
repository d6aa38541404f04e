import * as z from 'zod/mini'
import { type DisputeFields, tokenizeShape } from '../controls.js'
import { isTime } from '../internal/clock.js'
import { duration, optional, optionShape } from '../internal/options.js'
import {
  type AnyShape,
  anyObject,
  custom,
  dateTime,
  dateTimeJson,
  hint,
  integer,
  oneOf,
  text,
  type Values,
} from '../internal/schema.js'
import { isWebAddress } from '../internal/web-address.js'
import { scopeList } from '../service/api-keys.js'
import { faultShape, timesOr } from '../service/faults.js'
import type { SandboxSnapshot } from '../store/store.js'
import type { Endpoint, Source } from './endpoint.js'
import { faultBody } from './views.js'

const string = z.string()

const maxSnapshotBytes = 256 * 1024 * 1024

type Limits = Pick<Endpoint, 'maxBytes' | 'createsSecret'>

function action<Input extends AnyShape, Result extends AnyShape>(
  summary: string,
  input: Input,
  result: Result,
  run: Endpoint<Input, Values<Result>>['run'],
  limits: Limits = {},
): Endpoint<Input, Values<Result>> & Limits {
  return { summary, input, output: z.object(result) as never, run, ...limits }
}

/** Creates an action that changes the sandbox and returns no result. */
function change<Input extends AnyShape>(
  summary: string,
  input: Input,
  run: (source: Source, input: Values<Input>) => void | Promise<void>,
  limits?: Limits,
) {
  const runVoid = async (source: Source, input: Values<Input>) => {
    await run(source, input)
    return {}
  }
  return action(summary, input, {}, runVoid, limits)
}

const url = custom<string>(
  (value) => typeof value === 'string' && isWebAddress(value),
  'must be an http or https URL without credentials',
  { type: 'string', format: 'uri', examples: ['http://localhost:3000/webhooks'] },
)
const now = custom<string>(
  (value) => typeof value === 'string' && !Number.isNaN(Date.parse(value)),
  'must be a date and time in ISO 8601',
  dateTimeJson,
).check(z.refine((value) => isTime(Date.parse(value)), 'must be in the years 1 to 9999'))

const paymentId = text

function processorAction(name: 'authorize' | 'settle' | 'decline' | 'fail', summary: string) {
  return change(summary, { paymentId }, ({ sandbox }, { paymentId }) => sandbox.processor[name](paymentId))
}

/** The actions of the control API. The inspector's forms and the documentation are generated from this declaration. */
export const actions = {
  settle: processorAction('settle', 'Settles a payment. Captures an authorized payment in full first'),
  authorize: processorAction('authorize', 'Authorizes a pending payment'),
  decline: processorAction('decline', 'Declines a pending payment'),
  fail: processorAction('fail', 'Fails a payment whose status is not final'),
  completeAction: action(
    'Completes the action that a payment requires from the customer, for example 3-D Secure',
    { paymentId },
    { resumeToken: string },
    ({ sandbox }, { paymentId }) => ({ resumeToken: sandbox.completeAction(paymentId) }),
  ),
  finishRefund: change(
    'Sets the oldest pending refund of a payment to a final status',
    { paymentId, status: oneOf('SETTLED', 'FAILED') },
    ({ sandbox }, { paymentId, status }) => sandbox.processor.finishRefund(paymentId, status),
  ),
  openDispute: action(
    'Opens a dispute. `fields` are fields of its DISPUTE.STATUS event',
    { paymentId, fields: z.optional(anyObject<DisputeFields>()) },
    { disputeId: string },
    ({ sandbox }, { paymentId, fields }) => ({ disputeId: sandbox.disputes.open(paymentId, fields) }),
  ),
  moveDispute: change(
    'Changes the status of a dispute, and other fields of its event',
    {
      disputeId: text,
      status: text.check(z.meta({ examples: ['CHALLENGED', 'ACCEPTED', 'WON', 'LOST', 'CANCELLED', 'OPEN'] })),
      fields: z.optional(anyObject<DisputeFields>()),
    },
    ({ sandbox }, { disputeId, status, fields }) => sandbox.disputes.move(disputeId, status, fields),
  ),
  rotateSecret: action(
    'Creates a new signing secret. For 24 hours, webhooks are also signed with the old secret',
    {},
    { secret: string },
    ({ sandbox }) => ({ secret: sandbox.webhooks.rotateSecret() }),
    { createsSecret: true },
  ),
  advanceClock: action(
    "Moves the sandbox's clock forward, and runs all tasks that become due",
    { by: hint(duration('24h'), 'Milliseconds, or a number with ms, s, m, h or d') },
    { now: dateTime },
    async ({ sandbox }, { by }) => {
      await sandbox.clock.advance(by)
      return { now: sandbox.clock.now().toISOString() }
    },
  ),
  setOptions: change(
    'Changes options of the sandbox. `reset` undoes these changes',
    optional({ ...optionShape, now: hint(now, 'Stops the clock at this time') }),
    ({ sandbox }, { now, ...others }) =>
      sandbox.setOptions({ ...others, ...(now !== undefined && { now: new Date(now) }) }),
  ),
  addFault: change(
    'Adds a fault, which affects the next matching requests',
    optional({
      ...faultShape,
      times: hint(timesOr('Infinity'), 'Number of affected requests. Infinity affects all until clearFaults', {
        default: 1,
      }),
      at: hint(faultShape.at, 'before or after the operation takes effect, or a number of response bytes', {
        default: 'before',
      }),
      headers: hint(faultShape.headers, 'A JSON object', { examples: [{ 'retry-after': '1' }] }),
      body: hint(faultBody, 'A JSON object, or any text, such as incomplete JSON'),
      delay: hint(faultShape.delay, 'Milliseconds of real time'),
      hang: hint(faultShape.hang, 'Never responds'),
      reset: hint(faultShape.reset, 'Resets the connection'),
    }),
    ({ sandbox }, { times, ...others }) =>
      sandbox.faults.add({ ...others, ...(times !== undefined && { times: Number(times) }) }),
  ),
  clearFaults: change('Removes all faults', {}, ({ sandbox }) => sandbox.faults.clear()),
  redeliver: change('Sends the webhook of a delivery again', { id: text }, ({ sandbox }, { id }) =>
    sandbox.webhooks.redeliver(id),
  ),
  checkSecret: action(
    'Checks whether a webhook was signed with a secret, and otherwise names the probable mistake',
    { id: text, secret: text.check(z.meta({ format: 'password' })) },
    { verified: z.boolean(), code: string, message: string },
    ({ webhooks }, { id, secret }) => webhooks.diagnose(id, secret),
  ),
  setBalance: change(
    'Sets the loyalty points of a customer',
    { connectionId: text, customerId: text, points: integer(Number.MIN_SAFE_INTEGER) },
    ({ sandbox }, { connectionId, customerId, points }) => sandbox.loyalty.setBalance(connectionId, customerId, points),
  ),
  createApiKey: action(
    'Creates an API key that has only the given scopes',
    { scopes: hint(scopeList, 'One or more, separated by spaces or commas') },
    { apiKey: string },
    ({ sandbox }, { scopes }) => ({ apiKey: sandbox.createApiKey({ scopes }) }),
    { createsSecret: true },
  ),
  revokeApiKey: change('Revokes an API key', { apiKey: text }, ({ sandbox }, { apiKey }) =>
    sandbox.revokeApiKey(apiKey),
  ),
  tokenize: action(
    'Creates a single-use payment method token, as the checkout does',
    optional({
      clientToken: hint(text, 'Payments with the token take omitted fields from this client session'),
      scenario: tokenizeShape.scenario.check(z.meta({ default: 'card' })),
    }),
    { paymentMethodToken: string },
    ({ sandbox }, options) => ({ paymentMethodToken: sandbox.tokenize(options) }),
  ),
  subscribe: change('Sends all future webhooks to a URL', { url }, ({ webhooks }, { url }) => {
    if (!webhooks.subscriptions.some(({ to }) => to === url)) webhooks.subscribe(url)
  }),
  unsubscribe: change('Stops sending webhooks to a URL', { url }, ({ webhooks }, { url }) => webhooks.unsubscribe(url)),
  reset: change('Resets state, ledger, requests, deliveries, faults, time and options', {}, ({ sandbox }) =>
    sandbox.reset(),
  ),
  snapshot: action(
    'Returns the state as JSON, without API keys and signing secrets',
    {},
    { snapshot: anyObject<SandboxSnapshot>() },
    ({ sandbox }) => ({ snapshot: sandbox.snapshot() }),
  ),
  restore: change(
    'Restores a snapshot',
    { snapshot: anyObject<SandboxSnapshot>() },
    ({ sandbox }, { snapshot }) => sandbox.restore(snapshot),
    { maxBytes: maxSnapshotBytes },
  ),
}
