import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { describe, expectTypeOf, it } from 'vitest'
import {
  createHandler,
  isRecognized,
  type KnownEvent,
  type PaymentRefundEvent,
  type PaymentStatusEvent,
  sign,
  toNodeListener,
  type UnrecognizedEvent,
  type UnrecognizedEventType,
  verify,
  verifyAsync,
  type WebhookEvent,
} from '../../src/webhooks/index.js'

declare const event: WebhookEvent

describe('the types of webhook events', () => {
  it('narrows an event by eventType', () => {
    if (event.eventType === 'PAYMENT.REFUND') {
      expectTypeOf(event).toEqualTypeOf<PaymentRefundEvent>()
      expectTypeOf(event.payment.id).toEqualTypeOf<string>()
    }
    if (event.eventType === 'PAYMENT.STATUS') expectTypeOf(event).toEqualTypeOf<PaymentStatusEvent>()
    if (event.eventType === 'DISPUTE.STATUS') expectTypeOf(event.amount).toEqualTypeOf<number | undefined>()
  })

  it('narrows events in a switch, with unrecognized events in the default case', () => {
    switch (event.eventType) {
      case 'PAYMENT.STATUS':
      case 'PAYMENT.REFUND':
        expectTypeOf(event.payment.id).toEqualTypeOf<string>()
        break
      case 'DISPUTE.STATUS':
        expectTypeOf(event.paymentId).toEqualTypeOf<string | undefined>()
        break
      default:
        expectTypeOf(event).toEqualTypeOf<UnrecognizedEvent>()
        expectTypeOf(event.payload).toEqualTypeOf<unknown>()
    }
  })

  it('narrows an event with isRecognized', () => {
    if (isRecognized(event)) expectTypeOf(event).toEqualTypeOf<KnownEvent>()
    else expectTypeOf(event).toEqualTypeOf<UnrecognizedEvent>()
  })

  it('does not declare a known event type as unrecognized', () => {
    expectTypeOf<Extract<UnrecognizedEventType, KnownEvent['eventType']>>().toBeNever()
  })

  it('declares the eventType of an unrecognized event as a string', () => {
    if (isRecognized(event)) return
    const eventType: string = event.eventType

    expectTypeOf(event.eventType).toExtend<string>()
    expectTypeOf(eventType === 'SOMETHING.NEW').toEqualTypeOf<boolean>()
    expectTypeOf(event.eventType === '').toEqualTypeOf<boolean>()
    expectTypeOf(event.eventType === 'WORKFLOW_RUN.FAILED').toEqualTypeOf<boolean>()
    expectTypeOf(event.eventType.startsWith('DISPUTE.')).toEqualTypeOf<boolean>()
  })

  it('rejects a misspelled event type and the fields of other events', () => {
    // @ts-expect-error No event has this type.
    if (event.eventType === 'PAYMENT.REFUNDED') return
    // @ts-expect-error A dispute has no payment.
    if (event.eventType === 'DISPUTE.STATUS') event.payment
    // @ts-expect-error The event must be narrowed first.
    event.payment
    // @ts-expect-error The event must be narrowed first.
    event.payload
  })
})

describe('the types of webhook functions', () => {
  it('accepts every framework’s headers in verify', () => {
    const incoming = {} as IncomingMessage
    const lambda = {} as { headers: { [name: string]: string | undefined }; body: string }

    expectTypeOf(verify('', new Headers(), '')).toEqualTypeOf<WebhookEvent>()
    expectTypeOf(verify(Buffer.from(''), incoming.headers, '')).toEqualTypeOf<WebhookEvent>()
    expectTypeOf(
      verify(new Uint8Array(), new Map<string, string>(), ['', Buffer.from('')]),
    ).toEqualTypeOf<WebhookEvent>()
    expectTypeOf(verify(new ArrayBuffer(), { a: ['b'] }, new Uint8Array())).toEqualTypeOf<WebhookEvent>()
    expectTypeOf(verify(lambda.body, lambda.headers, ['', ''] as const)).toEqualTypeOf<WebhookEvent>()
    expectTypeOf(
      verify('', sign('', ''), '', { hash: 'sha512', maxBytes: 1, tolerance: 1, now: () => new Date() }),
    ).toEqualTypeOf<WebhookEvent>()
    expectTypeOf(verifyAsync('', new Headers(), '')).toEqualTypeOf<Promise<WebhookEvent>>()
  })

  it('infers each event function’s argument from its event type', () => {
    createHandler({
      secret: ['', new Uint8Array()],
      on: {
        'PAYMENT.STATUS': async (event) => expectTypeOf(event).toEqualTypeOf<PaymentStatusEvent>(),
        'PAYMENT.REFUND': (event) => expectTypeOf(event.payment.id).toEqualTypeOf<string>(),
      },
      onUnrecognized: (event) => expectTypeOf(event).toEqualTypeOf<UnrecognizedEvent>(),
      onError: (error, event) => {
        expectTypeOf(error).toEqualTypeOf<unknown>()
        expectTypeOf(event).toEqualTypeOf<WebhookEvent | undefined>()
      },
      deduplicate: { claim: async (key) => (key ? 'new' : 'done'), complete: async () => {}, release: () => {} },
      tolerance: 300,
    })
    // @ts-expect-error No event has this type.
    createHandler({ secret: '', on: { 'PAYMENT.REFUNDED': () => {} } })
    // @ts-expect-error A handler needs a secret.
    createHandler({})
    // @ts-expect-error A store returns 'new', 'busy' or 'done'.
    createHandler({ secret: '', deduplicate: { claim: () => 'yes', complete: () => {}, release: () => {} } })
  })

  it('creates handlers for Fetch, node:http, Express and Fastify', () => {
    interface ExpressRequest extends IncomingMessage {
      body: unknown
    }
    interface FastifyRequest {
      raw: IncomingMessage
      method: string
      url: string
      headers: IncomingMessage['headers']
      body: unknown
    }
    interface FastifyReply {
      raw: ServerResponse
      statusCode: number
      hijack(): FastifyReply
    }
    const handler = createHandler({ secret: '' })
    const listener = toNodeListener(handler)

    expectTypeOf(handler).toEqualTypeOf<(request: Request) => Promise<Response>>()
    expectTypeOf(listener).toExtend<RequestListener>()
    expectTypeOf(listener).toExtend<(request: ExpressRequest, response: ServerResponse, next: () => void) => void>()
    expectTypeOf(listener).toExtend<(request: FastifyRequest, reply: FastifyReply) => Promise<unknown>>()
  })
})
