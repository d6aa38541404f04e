import type { Answered, Listening } from '../sandbox/http/server.js'
import { createSandbox } from '../sandbox/index.js'
import type { Sandbox } from '../sandbox/types.js'
import { isWebAddress } from '../sandbox/webhooks/receiver.js'
import { defineCommand, UsageError, wholeNumber } from './command.js'
import type { Terminal } from './terminal.js'

/** `payments-client sandbox` */
export const sandbox = defineCommand({
  summary: 'Run the whole service on this machine, in memory',
  options: {
    port: { value: 'number', help: 'Port to listen on, 0 for a free one (default: 4010)' },
    host: { value: 'address', help: 'Address to listen on (default: 127.0.0.1, this machine only)' },
    'webhook-url': { value: 'url', multiple: true, help: 'Send webhooks here; may be repeated' },
    seed: { value: 'text', help: 'The same seed makes the same keys and ids (default: new ones)' },
  },
  notes: 'It runs until Ctrl+C and then forgets everything. Every request and webhook is logged on standard error.',
  async run({ values }, terminal) {
    const { port = '4010', host = '127.0.0.1', seed, 'webhook-url': webhookUrls = [] } = values
    const sandbox = createSandbox({ seed })
    for (const url of webhookUrls) forwardWebhooks(sandbox, url, terminal)
    const server = await open(sandbox, wholeNumber('--port', port, 0, 65_535), host, terminal)
    terminal.print(welcome(sandbox, server.url, webhookUrls))
    await interruption(terminal.interrupted)
    await server.close()
    return 0
  },
})

/** Forwards webhooks to a URL, so that the log can say what became of them. */
function forwardWebhooks(sandbox: Sandbox, url: string, terminal: Terminal): void {
  if (!isWebAddress(url)) throw new UsageError('--webhook-url must be a URL, such as http://localhost:3000/webhooks')
  const { origin, pathname } = new URL(url)
  sandbox.webhooks.subscribe(async (request) => {
    const { eventType } = (await request.clone().json()) as { eventType: string }
    const log = (result: string) => terminal.note(logLine(['webhook', `${eventType} to ${origin}${pathname}`, result]))
    try {
      const { status } = await fetch(new Request(url, request))
      log(String(status))
      return new Response(null, { status })
    } catch (error) {
      log('no answer')
      throw error
    }
  })
}

async function open(sandbox: Sandbox, port: number, host: string, terminal: Terminal): Promise<Listening> {
  try {
    return await sandbox.listen({ port, host, onAnswer: (answered) => terminal.note(requestLine(answered)) })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error
    throw new UsageError(`Port ${port} is taken: stop what runs there, or choose another with --port`)
  }
}

/** In the form of an .env file, with explanations as comments. */
function welcome(sandbox: Sandbox, url: string, webhookUrls: readonly string[]): string {
  return [
    '# The payments sandbox is ready. Give your application this environment:',
    `PAYMENTS_BASE_URL=${url}`,
    `PAYMENTS_API_KEY=${sandbox.apiKey}`,
    `PAYMENTS_WEBHOOK_SECRET=${sandbox.webhooks.secret}`,
    webhookUrls.length > 0
      ? `# Webhooks go to ${webhookUrls.join(' and ')}`
      : '# Webhooks go nowhere: start with --webhook-url to receive them',
    `# Payment method tokens: ${Object.values(sandbox.tokens).join(', ')}`,
    '# Stop with Ctrl+C',
  ].join('\n')
}

/** The query is left out: it may hold a client token. */
function requestLine({ method, path, status, durationMs }: Answered): string {
  return logLine([method, path.replace(/\?.*/, ''), String(status ?? 'no answer'), `${Math.round(durationMs)} ms`])
}

function logLine(parts: readonly string[]): string {
  return [new Date().toISOString().slice(11, 19), ...parts].join('  ')
}

function interruption(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
}
