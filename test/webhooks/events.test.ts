import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { eventSchemas } from '../../src/core/schemas/event.js'
import { isRecognized, verify, type WebhookEvent } from '../../src/webhooks/index.js'
import { aDisputeEvent, aRefundEvent, aStatusEvent, currentSecret, signed } from './fixtures.js'

const receive = (payload: unknown): WebhookEvent => receiveText(JSON.stringify(payload))
const receiveText = (body: string): WebhookEvent => verify(body, signed(body), currentSecret)

describe('verify', () => {
  it.each([aStatusEvent(), aRefundEvent(), aDisputeEvent()])('returns a recognized $eventType event', (sent) => {
    const event = receive(sent)

    expect(event).toEqual(sent)
    expect(isRecognized(event)).toBe(true)
  })

  it.each([
    ['an unknown type', { eventType: 'WORKFLOW_RUN.FAILED', runId: 7 }, 'WORKFLOW_RUN.FAILED'],
    ['a known type in lower case', { eventType: 'payment.status' }, 'payment.status'],
    ['no type', { message: 'This is a test' }, ''],
    ['a number as type', { eventType: 7 }, ''],
    ['an array as type', { eventType: ['PAYMENT.STATUS'] }, ''],
    ['an array', [{ eventType: 'PAYMENT.STATUS' }], ''],
    ['a string', 'PAYMENT.STATUS', ''],
    ['a byte order mark in a string', '\uFEFF', ''],
    ['null', null, ''],
    ['the name of an object method', { eventType: 'toString' }, 'toString'],
    ['the name of a prototype', { eventType: '__proto__' }, '__proto__'],
  ])('returns an unrecognized event for %s', (_, payload, eventType) => {
    const event = receive(payload)

    expect(event).toEqual({ eventType, payload })
    expect(isRecognized(event)).toBe(false)
  })

  it('returns any signed JSON value other than an event as an unrecognized event', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.string(), (payload, eventType) => {
        fc.pre(!Object.hasOwn(eventSchemas, eventType))

        expect(receive({ payload, eventType })).toEqual(
          JSON.parse(JSON.stringify({ eventType, payload: { payload, eventType } })),
        )
      }),
    )
  })

  it('keeps unknown fields, versions and enum values', () => {
    const sent = {
      ...aStatusEvent({ status: 'PARTIALLY_SETTLED', novelty: { deep: [1] } }),
      version: '3.7-preview',
      signedAt: '1767225600',
      tenant: 't_1',
    }

    expect(receive(sent)).toEqual(sent)
  })

  it('omits optional fields that are null', () => {
    const { notificationConfig, ...sent } = aStatusEvent()
    const payment = { ...sent.payment, customerId: null, statusReason: null }

    const event = receive({ ...sent, payment, notificationConfig: null })

    const { customerId, statusReason, ...rest } = payment
    expect(event).toStrictEqual({ ...sent, payment: rest })
  })

  it('never modifies a prototype, even if the body contains __proto__', () => {
    const body =
      '{"eventType":"PAYMENT.STATUS","payment":{"id":"p","__proto__":{"polluted":1}},"__proto__":{"polluted":1}}'

    const event = receiveText(body)

    expect({}).not.toHaveProperty('polluted')
    expect(Object.getPrototypeOf(event)).toBe(Object.prototype)
    expect((event as { polluted?: unknown }).polluted).toBeUndefined()
  })

  it('ignores an eventType inherited from a prototype', () => {
    const event = receiveText('{"__proto__":{"eventType":"PAYMENT.STATUS"}}')

    expect(event.eventType).toBe('')
  })
})
