import { integer, oneOf, type Rule, rule, string } from '../../internal/options.js'
import { completeAction, DisputeControls, ProcessorControls, setBalance, tokenize } from '../controls.js'
import { isDuration } from '../internal/clock.js'
import { knownName, optionRules } from '../internal/options.js'
import { scenarioNames } from '../internal/scenarios.js'
import { isWebAddress } from '../internal/web-address.js'
import { scopeNames, scopesRule } from '../service/api-keys.js'
import { faultRules, operationNames } from '../service/faults.js'
import { type JsonSchema, objectSchema, optional, type Parameter, type Parameters, text } from './parameters.js'
import type { Parts } from './parts.js'

/** A change that `POST actions/:name` makes. */
interface Action {
  readonly summary: string
  readonly arguments: Parameters
  readonly result: JsonSchema
  readonly maxBytes: number
  /** Whether the result is a new API key or signing secret, which must not be masked. */
  readonly createsSecret?: boolean
  /** Makes the change and returns its result. The arguments are already checked. */
  // biome-ignore lint/suspicious/noExplicitAny: the rules check the arguments.
  run(args: any, parts: Parts): unknown
}

const maxBytes = 1024 * 1024

const maxSnapshotBytes = 256 * maxBytes

const nothing = objectSchema({})

const isJsonObject: Rule = rule(
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  'must be an object',
)
const object: Parameter = { rule: isJsonObject, schema: { type: 'object' } }
const url: Parameter = {
  rule: rule(
    (value) => typeof value === 'string' && isWebAddress(value),
    'must be an http or https URL without credentials',
  ),
  schema: { type: 'string', format: 'uri' },
}
const oneOfStrings = (...values: readonly string[]): Parameter => ({
  rule: oneOf(...values),
  schema: { type: 'string', enum: values },
})

const paymentId = text

const duration: JsonSchema = {
  oneOf: [
    { type: 'number', minimum: 0 },
    { type: 'string', pattern: '^\\d+(\\.\\d+)?(ms|s|m|h|d)$' },
  ],
}

function action(
  summary: string,
  parameters: Parameters,
  run: Action['run'],
  options: Partial<Pick<Action, 'result' | 'maxBytes' | 'createsSecret'>> = {},
): Action {
  return { summary, arguments: parameters, run, result: nothing, maxBytes, ...options }
}

const returns = (name: string, schema: JsonSchema = { type: 'string' }) => ({
  result: objectSchema({ [name]: schema }),
})

export const actions: Readonly<Record<string, Action>> = {
  settle: action(
    'Settles a payment. Captures an authorized payment in full first',
    { paymentId },
    (args, { context }) => new ProcessorControls(context).settle(args.paymentId),
  ),
  authorize: action('Authorizes a pending payment', { paymentId }, (args, { context }) =>
    new ProcessorControls(context).authorize(args.paymentId),
  ),
  decline: action('Declines a pending payment', { paymentId }, (args, { context }) =>
    new ProcessorControls(context).decline(args.paymentId),
  ),
  fail: action('Fails a payment whose status is not final', { paymentId }, (args, { context }) =>
    new ProcessorControls(context).fail(args.paymentId),
  ),
  completeAction: action(
    'Completes the action that a payment requires from the customer, for example 3-D Secure',
    { paymentId },
    (args, { context }) => ({ resumeToken: completeAction(args.paymentId, context) }),
    returns('resumeToken'),
  ),
  finishRefund: action(
    'Sets the oldest pending refund of a payment to a final status',
    { paymentId, status: oneOfStrings('SETTLED', 'FAILED') },
    (args, { context }) => new ProcessorControls(context).finishRefund(args.paymentId, args.status),
  ),
  openDispute: action(
    'Opens a dispute. `fields` are fields of its DISPUTE.STATUS event',
    { paymentId, fields: optional(object) },
    (args, { context }) => ({ disputeId: new DisputeControls(context).open(args.paymentId, args.fields) }),
    returns('disputeId'),
  ),
  moveDispute: action(
    'Changes the status of a dispute, and other fields of its event',
    { disputeId: text, status: text, fields: optional(object) },
    (args, { context }) => new DisputeControls(context).move(args.disputeId, args.status, args.fields),
  ),
  rotateSecret: action(
    'Creates a new signing secret. For 24 hours, webhooks are also signed with the old secret',
    {},
    (_, { webhooks }) => ({ secret: webhooks.rotateSecret() }),
    { ...returns('secret'), createsSecret: true },
  ),
  advanceClock: action(
    "Moves the sandbox's clock forward, and runs all tasks that become due",
    {
      by: {
        rule: rule(isDuration, "must be milliseconds or a string such as '24h'"),
        schema: duration,
      },
    },
    async (args, { context }) => {
      await context.clock.advance(args.by)
      return { now: context.clock.now().toISOString() }
    },
    returns('now', { type: 'string', format: 'date-time' }),
  ),
  setOptions: action(
    'Changes options of the sandbox. `reset` restores the first options',
    optionParameters(),
    (args, parts) => parts.setOptions(args.now === undefined ? args : { ...args, now: new Date(args.now) }),
  ),
  addFault: action('Adds a fault, which affects the next matching requests', faultParameters(), (args, { faults }) =>
    faults.add(args.times === 'Infinity' ? { ...args, times: Infinity } : args),
  ),
  clearFaults: action('Removes all faults', {}, (_, { faults }) => faults.clear()),
  redeliver: action('Sends the webhook of a delivery again', { id: text }, (args, { webhooks }) =>
    webhooks.redeliver(args.id),
  ),
  setBalance: action(
    'Sets the loyalty points of a customer',
    {
      connectionId: text,
      customerId: text,
      points: { rule: integer(Number.MIN_SAFE_INTEGER), schema: { type: 'integer' } },
    },
    (args, { context }) => setBalance(args.connectionId, args.customerId, args.points, context),
  ),
  createApiKey: action(
    'Creates an API key that has only the given scopes',
    { scopes: { rule: scopesRule, schema: { type: 'array', items: { type: 'string', enum: scopeNames } } } },
    (args, { keys }) => ({ apiKey: keys.create(args) }),
    { ...returns('apiKey'), createsSecret: true },
  ),
  revokeApiKey: action('Revokes an API key', { apiKey: text }, (args, { keys }) => keys.revoke(args.apiKey)),
  tokenize: action(
    'Creates a single-use payment method token, as the checkout does',
    {
      clientToken: optional(text),
      scenario: optional({
        rule: knownName('a scenario', scenarioNames),
        schema: { type: 'string', enum: scenarioNames },
      }),
    },
    (args, { context }) => ({ paymentMethodToken: tokenize(args, context) }),
    returns('paymentMethodToken'),
  ),
  subscribe: action('Sends all future webhooks to a URL', { url }, (args, { webhooks }) => {
    if (!webhooks.subscriptions.some(({ to }) => to === args.url)) webhooks.subscribe(args.url)
  }),
  unsubscribe: action('Stops sending webhooks to a URL', { url }, (args, { webhooks }) =>
    webhooks.unsubscribe(args.url),
  ),
  reset: action('Resets state, ledger, requests, deliveries, faults and time', {}, (_, parts) => parts.reset()),
  snapshot: action(
    'Returns the state as JSON, without API keys and signing secrets',
    {},
    (_, parts) => ({ snapshot: parts.snapshot() }),
    returns('snapshot', { type: 'object' }),
  ),
  restore: action('Restores a snapshot', { snapshot: object }, (args, parts) => parts.restore(args.snapshot), {
    maxBytes: maxSnapshotBytes,
  }),
}

/** Returns the parameters of `setOptions`: the options of `createSandbox`, with `now` as ISO 8601. */
function optionParameters(): Parameters {
  const schemas: Record<keyof typeof optionRules, JsonSchema> = {
    seed: { type: ['number', 'string'] },
    now: { type: 'string', format: 'date-time' },
    listDelay: duration,
    idempotency: { type: 'string', enum: ['replay', 'conflict', 'conflict-400'] },
    sessionUpdate: { type: 'string', enum: ['merge', 'replace'] },
  }
  const now: Rule = (value) => string(value) ?? optionRules.now(new Date(value as string))
  const rules: Readonly<Record<string, Rule>> = { ...optionRules, now }
  return Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => [name, { rule: rules[name] as Rule, schema, optional: true }]),
  )
}

/** Returns the parameters of `addFault`: the fields of a fault, limited to values that JSON can represent. */
function faultParameters(): Parameters {
  const count = (minimum: number) => ({ type: 'integer', minimum })
  const schemas: Record<keyof typeof faultRules, JsonSchema> = {
    operation: { type: 'string', enum: operationNames },
    times: { oneOf: [count(1), { type: 'string', enum: ['Infinity'] }], default: 1 },
    at: { oneOf: [{ type: 'string', enum: ['before', 'after'] }, count(0)], default: 'before' },
    status: { type: 'integer', minimum: 200, maximum: 599 },
    headers: { type: 'object', additionalProperties: { type: 'string' } },
    body: { type: ['string', 'object'] },
    delay: count(0),
    hang: { type: 'boolean' },
    reset: { type: 'boolean' },
  }
  const rules: Readonly<Record<string, Rule>> = {
    ...faultRules,
    times: (value) => (value === 'Infinity' ? undefined : faultRules.times(value)),
    headers: (value) => isJsonObject(value) ?? faultRules.headers(value),
    body: (value) =>
      string(value) && isJsonObject(value)
        ? { code: 'invalid_type', message: 'must be a string or an object' }
        : undefined,
  }
  return Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => [name, { rule: rules[name] as Rule, schema, optional: true }]),
  )
}
