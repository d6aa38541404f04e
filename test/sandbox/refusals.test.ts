import { describe, expect, it } from 'vitest'
import { aPayment, refusal, send, startSandbox } from '../support/start-sandbox.js'

describe('a refusal', () => {
  it('says what is wrong, and where, by JSON paths', async () => {
    const { sandbox } = startSandbox()

    const { status, json } = await send(sandbox, 'POST', '/payments', {
      body: { ...aPayment(), amount: 1.5, order: { lineItems: [{ amount: 1 }, { amount: 'ten' }] }, colour: 'red' },
    })

    expect(status).toBe(400)
    expect(json).toEqual({
      error: {
        errorId: 'RequestValidationFailed',
        description: 'The body of the request is invalid',
        diagnosticsId: expect.any(String),
        validationErrors: [
          {
            model: 'body',
            errors: expect.arrayContaining([
              { path: '$.amount', description: expect.stringContaining('integer') },
              { path: '$.order.lineItems[1].amount', description: expect.any(String) },
              { path: '$.colour', description: expect.any(String) },
            ]),
          },
        ],
      },
    })
  })

  it.each([
    ['{"amount":', 'MalformedRequest'],
    ['[]', 'RequestValidationFailed'],
    ['null', 'RequestValidationFailed'],
    ['', 'RequestValidationFailed'],
  ])('answers the body %j', async (body, errorId) => {
    const { sandbox } = startSandbox()

    const { status, json } = await send(sandbox, 'POST', '/payments', { body })

    expect(status).toBe(400)
    expect(json.error.errorId).toBe(errorId)
  })

  it.each([
    [{ visits: 1, channel: 'web' }, 200],
    [{ isGuest: true }, 400],
    [{ weight: 3.14 }, 400],
    [{ note: null }, 400],
    [{ nested: {} }, 400],
  ])('takes only text and integers as metadata: %j', async (metadata, expected) => {
    const { sandbox } = startSandbox()

    const { status } = await send(sandbox, 'POST', '/payments', { body: { ...aPayment(), metadata } })

    expect(status).toBe(expected)
  })

  it.each([
    ['POST', '/payment'],
    ['POST', '/payments/pay_1/captures'],
    ['GET', '/payments/'],
    ['DELETE', '/payments/pay_1'],
    ['PUT', '/client-session'],
    ['GET', '/'],
  ])('answers %s %s, which is no endpoint', async (method, path) => {
    const { sandbox } = startSandbox()

    expect(await send(sandbox, method, path)).toMatchObject({
      status: 404,
      json: { error: { errorId: 'RouteNotFound' } },
    })
  })

  it('answers a path that is not properly encoded', async () => {
    const { sandbox } = startSandbox()

    expect(await send(sandbox, 'GET', '/payments/%E0%A4%A')).toMatchObject({
      status: 400,
      json: { error: { errorId: 'MalformedPath' } },
    })
  })

  it.each([
    ['POST', '/capture', {}],
    ['POST', '/cancel', {}],
    ['POST', '/refund', {}],
    ['POST', '/authorize', { processor: { processorMerchantId: 'm' } }],
    ['POST', '/adjust-authorization', { amount: 1 }],
    ['POST', '/resume', { resumeToken: 'r' }],
    ['GET', '', undefined],
  ])('answers %s /payments/:id%s for a payment that does not exist', async (method, action, body) => {
    const { sandbox } = startSandbox()

    expect(await send(sandbox, method, `/payments/pay_unknown${action}`, { body })).toMatchObject({
      status: 404,
      json: { error: { errorId: 'PaymentNotFound' } },
    })
  })

  it('is what comes of a bug, too: nothing is thrown, and the service lives on', async () => {
    const { client, sandbox } = startSandbox()
    const depth = 100_000
    const tooDeep = `{"paymentMethod":{"options":{"PAYMENT_CARD":${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}}}}`

    const { status, json } = await send(sandbox, 'POST', '/client-session', { body: tooDeep })

    expect(status).toBe(500)
    expect(json.error).toMatchObject({
      errorId: 'InternalServerError',
      description: expect.stringMatching(/^The sandbox has a bug: ./),
      diagnosticsId: expect.any(String),
    })
    expect((await client.payments.create(aPayment())).status).toBe('AUTHORIZED')
  })

  it('changes nothing', async () => {
    const { client, sandbox } = startSandbox()
    const { id } = await client.payments.create(aPayment())
    const before = sandbox.snapshot()

    await refusal(client.payments.capture(id, { amount: 5001 }))
    await refusal(client.payments.refund(id))
    await refusal(client.payments.adjustAuthorization(id, { amount: 1 }))
    await refusal(client.payments.resume(id, { resumeToken: 'r' }))

    expect(sandbox.snapshot().store).toEqual(before.store)
    expect(sandbox.ledger).toHaveLength(1)
  })
})
