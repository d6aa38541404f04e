/** A payment taken, the webhook about it verified, and its payment read by the schema: what every entry has to do with. */
export async function story({ PaymentsClient, createSandbox, PaymentSchema, sign, verify, connect }) {
  const sandbox = createSandbox()
  const client = new PaymentsClient(connect ? connect(sandbox) : sandbox.clientOptions())
  const { id } = await client.payments.create({
    paymentMethodToken: sandbox.tokens.card,
    orderId: 'order-17',
    currencyCode: 'EUR',
    amount: 5000,
  })
  const payment = await client.payments.capture(id)
  const { secret } = sandbox.webhooks
  const body = JSON.stringify({ eventType: 'PAYMENT.STATUS', payment })
  const event = await verify(body, await sign(body, secret), secret)
  return { eventType: event.eventType, status: PaymentSchema.parse(event.payment).status }
}

/** The story, with msw between the client and the sandbox. */
export function storyThroughMsw({ setupServer, handlers, ...entries }) {
  const connect = (sandbox) => {
    setupServer(...handlers(sandbox)).listen({ onUnhandledRequest: 'error' })
    return { apiKey: sandbox.apiKey, baseUrl: sandbox.baseUrl }
  }
  return story({ ...entries, connect })
}

export function print(told) {
  console.log(JSON.stringify(told))
}
