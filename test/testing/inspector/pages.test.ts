import { expect, it } from 'vitest'
import { sendTo, startControl } from '../../support/control.js'
import { aPayment } from '../../support/start-sandbox.js'

it('the inspector masks API keys and signing secrets on every page', async () => {
  const { client, sandbox, url } = await startControl()
  const secrets = [sandbox.apiKey, sandbox.webhooks.secret]
  const note = secrets.join(' ')
  sandbox.webhooks.subscribe(() => new Response(note))
  sandbox.loyalty.setBalance(note, note, 1)
  const { id } = await client.payments.create(aPayment({ orderId: note, metadata: { note } }))
  await client.clientSessions.create({ orderId: note })
  await sandbox.webhooks.flush()
  const [request, delivery] = [sandbox.requests[0]?.id, sandbox.webhooks.deliveries[0]?.id]
  const paths = ['', `payments/${id}`, `requests/${request}`, `webhooks/${delivery}`, 'sessions', 'loyalty']

  const pages = await Promise.all(paths.map(async (path) => (await sendTo(`${url}/__sandbox/${path}`)).text))

  for (const page of pages) expect(page).toContain('key_[…]')
  expect(pages.filter((page) => secrets.some((secret) => page.includes(secret)))).toEqual([])
})

it('the inspector responds 404 for unknown sections, payments and malformed ids', async () => {
  const { url } = await startControl()
  const paths = ['unknown', 'payments/unknown', 'payments/%', 'clock/1', 'payments/a/b', 'payments?cursor=unknown']

  const responses = await Promise.all(paths.map((path) => sendTo(`${url}/__sandbox/${path}`)))

  expect(responses.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404, 400])
})
