import type { RecordedDelivery } from './rows.js'

export interface Diagnosis {
  result: 'accepted' | 'rejected' | 'failed' | 'waiting'
  title: string
  steps: readonly string[]
}

const signatureSteps = [
  'Wrong secret: your receiver must use the secret of this sandbox. The sandbox prints it as PAYMENTS_WEBHOOK_SECRET when it starts. Without --seed, every start creates a new secret. Use Check secret to test the secret of your receiver.',
  'Changed body: verify the raw bytes of the request. A body that a framework parsed and your code serialized again has a different signature.',
  'Clock: with the tolerance option, your receiver rejects webhooks whose time differs too much from its own clock. Advance clock moves the clock of this sandbox ahead of the real time.',
]

/** The probable causes of a missing response, each with a pattern that matches the error. */
const errors: readonly [pattern: RegExp, step: string][] = [
  [/ECONNREFUSED/, 'No server is listening on this address. Start your server, or correct the port in the URL.'],
  [/ENOTFOUND|EAI_AGAIN/, 'The host name does not exist. Correct the URL.'],
  [/no response within|timeout/i, 'Your receiver must respond within 10 s. Respond first, and do slow work later.'],
  [/certificate|SSL|TLS/i, 'Use http for a receiver on this machine.'],
  [/^/, 'Check that your server is running, that the URL is correct, and that your server does not crash.'],
]

/** The meaning and the probable cause of a status. */
const statuses: Readonly<Record<number, readonly [meaning: string, step: string]>> = {
  404: [': it has no such path', 'Correct the path of the URL, or add a route for it to your server.'],
  405: [': it does not accept POST', 'Accept POST on this path.'],
  409: [
    ': it is already handling this payment',
    'This is normal while your receiver handles another webhook for the same payment. The sandbox delivers it again.',
  ],
  413: [': the body is too large', 'Raise the body limit of your server: webhooks can be up to 1 MiB.'],
  415: [': it does not accept JSON', 'Accept the content type application/json on this path.'],
}

const redirect = 'Webhooks do not follow redirects. Use the final URL, including its trailing slash.'
const clientError = 'Respond with 200 when your code has handled the webhook.'
const serverError = 'Your code threw an error after it received the webhook. Read the log of your server.'

export function explain({ status, error, responseBody = '' }: RecordedDelivery): Diagnosis {
  if (status === undefined) {
    if (error === undefined) return { result: 'waiting', title: 'The receiver has not responded yet.', steps: [] }
    const steps = errors.filter(([pattern]) => pattern.test(error)).map(([, step]) => step)
    return { result: 'failed', title: `No response: ${error}`, steps: steps.slice(0, 1) }
  }
  if (status >= 200 && status < 300) {
    const steps = status === 200 ? [] : ['The real service accepts only 200. Respond with 200.']
    return { result: 'accepted', title: 'The receiver accepted the webhook.', steps }
  }
  if (status === 400 || status === 401 || status === 403) {
    const isHandler = status === 400 && /^Invalid webhook\s*$/.test(responseBody)
    const title = isHandler
      ? 'createHandler responded 400: the signature or the body is invalid.'
      : `The receiver responded ${status}: the most likely cause is the signature.`
    return { result: 'rejected', title, steps: signatureSteps }
  }
  const other = status < 400 ? redirect : status < 500 ? clientError : serverError
  const [meaning, step] = statuses[status] ?? ['', other]
  return { result: 'rejected', title: `The receiver responded ${status}${meaning}.`, steps: [step] }
}
