import * as z from 'zod'
import { isObject } from '../../../core/internal/objects.js'
import { custom, text } from '../../../core/internal/validation.js'
import { type DisputeFields, tokenizeShape } from '../controls.js'
import { isTime } from '../internal/clock.js'
import { duration, optionShape } from '../internal/options.js'
import { isWebAddress } from '../internal/web-address.js'
import { scopeList } from '../service/api-keys.js'
import { faultShape, timesOr } from '../service/faults.js'
import type { SandboxSnapshot } from '../store/store.js'
import type { AnyShape, Endpoint } from './endpoint.js'

/**
 * @param run Runs the action. If it returns undefined, the response has no fields.
 * @param options The fields of the result, and the limits of the action.
 */
function action<Input extends AnyShape, Result>(
  summary: string,
  input: Input,
  run: Endpoint<Input, Result>['run'],
  options: Partial<Pick<Endpoint, 'fields' | 'maxBytes' | 'createsSecret'>> = {},
): Endpoint<Input, Result> {
  return { summary, input: z.strictObject(input), fields: '', run, ...options }
}

const anyObject = <T extends object>() => custom<T>(isObject, 'must be an object').meta({ type: 'object' })

/** Makes all fields of a shape optional. */
const optional = <Input extends AnyShape>(shape: Input) => z.strictObject(shape).partial().shape

const url = custom<string>(
  (value) => typeof value === 'string' && isWebAddress(value),
  'must be an http or https URL without credentials',
).meta({ type: 'string', format: 'uri', examples: ['http://localhost:3000/webhooks'] })

const now = z
  .string('must be a date and time in ISO 8601')
  .refine((value) => !Number.isNaN(Date.parse(value)), { error: 'must be a date and time in ISO 8601', abort: true })
  .refine((value) => isTime(Date.parse(value)), 'must be in the years 1 to 9999')
  .meta({ format: 'date-time' })

const faultBody = custom<string | object>(
  (value) => typeof value === 'string' || isObject(value),
  'must be a string or an object',
).meta({ type: ['string', 'object'] })

function processorAction(name: 'authorize' | 'settle' | 'decline' | 'fail', summary: string) {
  return action(summary, { paymentId: text }, ({ sandbox }, { paymentId }) => sandbox.processor[name](paymentId))
}

/** The actions of the control API. The inspector's forms and the documentation are generated from this declaration. */
export const actions = {
  settle: processorAction('settle', 'Settles a payment. Captures an authorized payment in full first'),
  authorize: processorAction('authorize', 'Authorizes a pending payment'),
  decline: processorAction('decline', 'Declines a pending payment'),
  fail: processorAction('fail', 'Fails a payment whose status is not final'),
  completeAction: action(
    'Completes the action that a payment requires from the customer, for example 3-D Secure',
    { paymentId: text },
    ({ sandbox }, { paymentId }) => ({ resumeToken: sandbox.completeAction(paymentId) }),
    { fields: 'resumeToken' },
  ),
  finishRefund: action(
    'Sets the oldest pending refund of a payment to a final status',
    { paymentId: text, status: z.enum(['SETTLED', 'FAILED']) },
    ({ sandbox }, { paymentId, status }) => sandbox.processor.finishRefund(paymentId, status),
  ),
  openDispute: action(
    'Opens a dispute. `fields` are fields of its DISPUTE.STATUS event',
    { paymentId: text, fields: anyObject<DisputeFields>().optional() },
    ({ sandbox }, { paymentId, fields }) => ({ disputeId: sandbox.disputes.open(paymentId, fields) }),
    { fields: 'disputeId' },
  ),
  moveDispute: action(
    'Changes the status of a dispute, and other fields of its event',
    {
      disputeId: text,
      status: text.meta({ examples: ['CHALLENGED', 'ACCEPTED', 'WON', 'LOST', 'CANCELLED', 'OPEN'] }),
      fields: anyObject<DisputeFields>().optional(),
    },
    ({ sandbox }, { disputeId, status, fields }) => sandbox.disputes.move(disputeId, status, fields),
  ),
  rotateSecret: action(
    'Creates a new signing secret. For 24 hours, webhooks are also signed with the old secret',
    {},
    ({ sandbox }) => ({ secret: sandbox.webhooks.rotateSecret() }),
    { fields: 'secret', createsSecret: true },
  ),
  advanceClock: action(
    "Moves the sandbox's clock forward, and runs all tasks that become due",
    { by: duration('24h').describe('Milliseconds, or a number with ms, s, m, h or d') },
    async ({ sandbox }, { by }) => {
      await sandbox.clock.advance(by)
      return { now: sandbox.clock.now().toISOString() }
    },
    { fields: 'now' },
  ),
  setOptions: action(
    'Changes options of the sandbox. `reset` undoes these changes',
    optional({ ...optionShape, now: now.describe('Stops the clock at this time') }),
    ({ sandbox }, { now, ...others }) =>
      sandbox.setOptions({ ...others, ...(now !== undefined && { now: new Date(now) }) }),
  ),
  addFault: action(
    'Adds a fault, which affects the next matching requests',
    optional({
      ...faultShape,
      times: timesOr('Infinity').meta({
        description: 'Number of affected requests. Infinity affects all until clearFaults',
        default: 1,
      }),
      at: faultShape.at.meta({
        description: 'before or after the operation takes effect, or a number of response bytes',
        default: 'before',
      }),
      headers: faultShape.headers.meta({ description: 'A JSON object', examples: [{ 'retry-after': '1' }] }),
      body: faultBody.describe('A JSON object, or any text, such as incomplete JSON'),
      delay: faultShape.delay.describe('Milliseconds of real time'),
      hang: faultShape.hang.describe('Never responds'),
      reset: faultShape.reset.describe('Resets the connection'),
    }),
    ({ sandbox }, { times, ...others }) =>
      sandbox.faults.add({ ...others, ...(times !== undefined && { times: Number(times) }) }),
  ),
  clearFaults: action('Removes all faults', {}, ({ sandbox }) => sandbox.faults.clear()),
  redeliver: action('Sends the webhook of a delivery again', { id: text }, ({ sandbox }, { id }) =>
    sandbox.webhooks.redeliver(id),
  ),
  checkSecret: action(
    'Checks whether a webhook was signed with a secret, and otherwise names the probable mistake',
    { id: text, secret: text.meta({ format: 'password' }) },
    ({ webhooks }, { id, secret }) => webhooks.diagnose(id, secret),
    { fields: 'verified, code, message' },
  ),
  setBalance: action(
    'Sets the loyalty points of a customer',
    { connectionId: text, customerId: text, points: z.int('must be an integer') },
    ({ sandbox }, { connectionId, customerId, points }) => sandbox.loyalty.setBalance(connectionId, customerId, points),
  ),
  createApiKey: action(
    'Creates an API key that has only the given scopes',
    { scopes: scopeList.describe('One or more, separated by spaces or commas') },
    ({ sandbox }, { scopes }) => ({ apiKey: sandbox.createApiKey({ scopes }) }),
    { fields: 'apiKey', createsSecret: true },
  ),
  revokeApiKey: action('Revokes an API key', { apiKey: text }, ({ sandbox }, { apiKey }) =>
    sandbox.revokeApiKey(apiKey),
  ),
  tokenize: action(
    'Creates a single-use payment method token, as the checkout does',
    optional({
      clientToken: text.describe('Payments with the token take omitted fields from this client session'),
      scenario: tokenizeShape.scenario.meta({ default: 'card' }),
    }),
    ({ sandbox }, options) => ({ paymentMethodToken: sandbox.tokenize(options) }),
    { fields: 'paymentMethodToken' },
  ),
  subscribe: action('Sends all future webhooks to a URL', { url }, ({ webhooks }, { url }) => {
    if (!webhooks.subscriptions.some(({ to }) => to === url)) webhooks.subscribe(url)
  }),
  unsubscribe: action('Stops sending webhooks to a URL', { url }, ({ webhooks }, { url }) => webhooks.unsubscribe(url)),
  reset: action('Resets state, ledger, requests, deliveries, faults, time and options', {}, ({ sandbox }) =>
    sandbox.reset(),
  ),
  snapshot: action(
    'Returns the state as JSON, without API keys and signing secrets',
    {},
    ({ sandbox }) => ({ snapshot: sandbox.snapshot() }),
    { fields: 'snapshot' },
  ),
  restore: action(
    'Restores a snapshot',
    { snapshot: anyObject<SandboxSnapshot>() },
    ({ sandbox }, { snapshot }) => sandbox.restore(snapshot),
    { maxBytes: 256 * 1024 * 1024 },
  ),
}
