/** Takes a payment, verifies a webhook and parses its payment. Together, these steps use every entry point. */
export async function takePayment({ PaymentsClient, createSandbox, PaymentSchema, sign, verify, connect }) {
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

/** Calls `takePayment`, with msw between the client and the sandbox. */
export function takePaymentThroughMsw({ setupServer, handlers, ...entries }) {
  const connect = (sandbox) => {
    setupServer(...handlers(sandbox)).listen({ onUnhandledRequest: 'error' })
    return { apiKey: sandbox.apiKey, baseUrl: sandbox.baseUrl }
  }
  return takePayment({ ...entries, connect })
}

export function print(result) {
  console.log(JSON.stringify(result))
}
