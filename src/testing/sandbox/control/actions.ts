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
import type { AnyShape, Endpoint, Source } from './endpoint.js'

const maxSnapshotBytes = 256 * 1024 * 1024

type Limits = Pick<Endpoint, 'maxBytes' | 'createsSecret'>
type Values<Input extends AnyShape> = z.output<z.ZodObject<Input, z.core.$strict>>

/** @param fields The fields of the result. */
function action<Input extends AnyShape, Result extends object>(
  summary: string,
  input: Input,
  fields: readonly string[],
  run: (source: Source, input: Values<Input>) => Result | Promise<Result>,
  limits: Limits = {},
): Endpoint<Input, Result> & Limits {
  return { summary, input: z.strictObject(input), fields, run, ...limits }
}

/** Creates an action that changes the sandbox and returns no result. */
function change<Input extends AnyShape>(
  summary: string,
  input: Input,
  run: (source: Source, input: Values<Input>) => void | Promise<void>,
  limits?: Limits,
) {
  const runVoid = async (source: Source, input: Values<Input>): Promise<object> => {
    await run(source, input)
    return {}
  }
  return action(summary, input, [], runVoid, limits)
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
    ['resumeToken'],
    ({ sandbox }, { paymentId }) => ({ resumeToken: sandbox.completeAction(paymentId) }),
  ),
  finishRefund: change(
    'Sets the oldest pending refund of a payment to a final status',
    { paymentId, status: z.enum(['SETTLED', 'FAILED']) },
    ({ sandbox }, { paymentId, status }) => sandbox.processor.finishRefund(paymentId, status),
  ),
  openDispute: action(
    'Opens a dispute. `fields` are fields of its DISPUTE.STATUS event',
    { paymentId, fields: anyObject<DisputeFields>().optional() },
    ['disputeId'],
    ({ sandbox }, { paymentId, fields }) => ({ disputeId: sandbox.disputes.open(paymentId, fields) }),
  ),
  moveDispute: change(
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
    ['secret'],
    ({ sandbox }) => ({ secret: sandbox.webhooks.rotateSecret() }),
    { createsSecret: true },
  ),
  advanceClock: action(
    "Moves the sandbox's clock forward, and runs all tasks that become due",
    { by: duration('24h').describe('Milliseconds, or a number with ms, s, m, h or d') },
    ['now'],
    async ({ sandbox }, { by }) => {
      await sandbox.clock.advance(by)
      return { now: sandbox.clock.now().toISOString() }
    },
  ),
  setOptions: change(
    'Changes options of the sandbox. `reset` undoes these changes',
    optional({ ...optionShape, now: now.describe('Stops the clock at this time') }),
    ({ sandbox }, { now, ...others }) =>
      sandbox.setOptions({ ...others, ...(now !== undefined && { now: new Date(now) }) }),
  ),
  addFault: change(
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
  clearFaults: change('Removes all faults', {}, ({ sandbox }) => sandbox.faults.clear()),
  redeliver: change('Sends the webhook of a delivery again', { id: text }, ({ sandbox }, { id }) =>
    sandbox.webhooks.redeliver(id),
  ),
  checkSecret: action(
    'Checks whether a webhook was signed with a secret, and otherwise names the probable mistake',
    { id: text, secret: text.meta({ format: 'password' }) },
    ['verified', 'code', 'message'],
    ({ webhooks }, { id, secret }) => webhooks.diagnose(id, secret),
  ),
  setBalance: change(
    'Sets the loyalty points of a customer',
    { connectionId: text, customerId: text, points: z.int('must be an integer') },
    ({ sandbox }, { connectionId, customerId, points }) => sandbox.loyalty.setBalance(connectionId, customerId, points),
  ),
  createApiKey: action(
    'Creates an API key that has only the given scopes',
    { scopes: scopeList.describe('One or more, separated by spaces or commas') },
    ['apiKey'],
    ({ sandbox }, { scopes }) => ({ apiKey: sandbox.createApiKey({ scopes }) }),
    { createsSecret: true },
  ),
  revokeApiKey: change('Revokes an API key', { apiKey: text }, ({ sandbox }, { apiKey }) =>
    sandbox.revokeApiKey(apiKey),
  ),
  tokenize: action(
    'Creates a single-use payment method token, as the checkout does',
    optional({
      clientToken: text.describe('Payments with the token take omitted fields from this client session'),
      scenario: tokenizeShape.scenario.meta({ default: 'card' }),
    }),
    ['paymentMethodToken'],
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
    ['snapshot'],
    ({ sandbox }) => ({ snapshot: sandbox.snapshot() }),
  ),
  restore: change(
    'Restores a snapshot',
    { snapshot: anyObject<SandboxSnapshot>() },
    ({ sandbox }, { snapshot }) => sandbox.restore(snapshot),
    { maxBytes: maxSnapshotBytes },
  ),
}
