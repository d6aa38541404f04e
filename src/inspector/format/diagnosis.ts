import type { RecordedDelivery } from '../api.js'

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

export function explain({ status, error, responseBody = '' }: RecordedDelivery): Diagnosis {
  if (status === undefined) {
    return error === undefined
      ? { result: 'waiting', title: 'The receiver has not responded yet.', steps: [] }
      : { result: 'failed', ...explainError(error) }
  }
  if (status >= 200 && status < 300) return { result: 'accepted', ...explainAcceptance(status) }
  return { result: 'rejected', ...explainStatus(status, responseBody) }
}

function explainAcceptance(status: number) {
  const steps = status === 200 ? [] : ['The real service accepts only 200. Respond with 200.']
  return { title: 'The receiver accepted the webhook.', steps }
}

function explainError(error: string) {
  const title = `No response: ${error}`
  if (/ECONNREFUSED/.test(error)) {
    return {
      title,
      steps: ['No server is listening on this address. Start your server, or correct the port in the URL.'],
    }
  }
  if (/ENOTFOUND|EAI_AGAIN/.test(error)) return { title, steps: ['The host name does not exist. Correct the URL.'] }
  if (/no response within|timeout/i.test(error)) {
    return { title, steps: ['Your receiver must respond within 10 s. Respond first, and do slow work later.'] }
  }
  if (/certificate|SSL|TLS/i.test(error)) return { title, steps: ['Use http for a receiver on this machine.'] }
  return {
    title,
    steps: ['Check that your server is running, that the URL is correct, and that your server does not crash.'],
  }
}

function explainStatus(status: number, body: string) {
  if (status === 400 || status === 401 || status === 403) {
    const isHandler = status === 400 && /^Invalid webhook\s*$/.test(body)
    const signature = 'the most likely cause is the signature.'
    return {
      title: isHandler
        ? 'createHandler responded 400: the signature or the body is invalid.'
        : `The receiver responded ${status}: ${signature}`,
      steps: signatureSteps,
    }
  }
  const title = `The receiver responded ${status}${titles[status] ?? ''}.`
  return { title, steps: [steps[status] ?? (status >= 500 ? serverError : otherStatus(status))] }
}

const titles: Readonly<Record<number, string>> = {
  404: ': it has no such path',
  405: ': it does not accept POST',
  409: ': it is already handling this payment',
  413: ': the body is too large',
  415: ': it does not accept JSON',
}

const steps: Readonly<Record<number, string>> = {
  404: 'Correct the path of the URL, or add a route for it to your server.',
  405: 'Accept POST on this path.',
  409: 'This is normal while your receiver handles another webhook for the same payment. The sandbox delivers it again.',
  413: 'Raise the body limit of your server: webhooks can be up to 1 MiB.',
  415: 'Accept the content type application/json on this path.',
}

const serverError = 'Your code threw an error after it received the webhook. Read the log of your server.'

function otherStatus(status: number): string {
  if (status < 400) return 'Webhooks do not follow redirects. Use the final URL, including its trailing slash.'
  return 'Respond with 200 when your code has handled the webhook.'
}
