import { once } from 'node:events'
import { integer } from '../internal/options.js'
import type { Listening, Served } from '../sandbox/http/server.js'
import { createSandbox } from '../sandbox/index.js'
import type { Sandbox } from '../sandbox/sandbox.js'
import { defineCommand, httpUrl, UsageError } from './command.js'
import type { Terminal } from './terminal.js'

/** `payments-client sandbox` */
export const sandbox = defineCommand({
  summary: 'Run the sandbox, which simulates the service, on this machine',
  options: {
    port: {
      value: 'number',
      help: 'Port; 0 selects a free port (default: 4010)',
      number: true,
      rule: integer(0, 65_535),
    },
    host: { value: 'address', help: 'Address to listen on (default: 127.0.0.1, which only this machine can reach)' },
    'webhook-url': {
      value: 'url',
      help: 'Send webhooks to this URL; you can pass this option several times',
      multiple: true,
      rule: httpUrl,
    },
    seed: { value: 'string', help: 'Create the same keys and IDs in every run with this seed (default: random)' },
  },
  notes: [
    'The sandbox runs until you press Ctrl+C, and stores nothing on disk.',
    'It logs every request and webhook to standard error.',
  ],
  async run({ values }, terminal) {
    const { port = 4010, host = '127.0.0.1', seed, 'webhook-url': webhookUrls = [] } = values
    const sandbox = createSandbox({ seed })
    for (const url of webhookUrls) forwardWebhooks(sandbox, url, terminal)
    const server = await listen(sandbox, port, host, terminal)
    terminal.print(...welcome(sandbox, server.url, webhookUrls))
    if (!terminal.interrupted.aborted) await once(terminal.interrupted, 'abort')
    await server.close()
    return 0
  },
})

/** Forwards webhooks to a URL and logs the responses. */
function forwardWebhooks(sandbox: Sandbox, url: string, terminal: Terminal): void {
  const { origin, pathname } = new URL(url)
  sandbox.webhooks.subscribe(async (request) => {
    const { eventType } = (await request.clone().json()) as { eventType: string }
    const log = (result: string) => terminal.note(logLine('webhook', `${eventType} to ${origin}${pathname}`, result))
    try {
      const { status } = await fetch(new Request(url, request))
      log(String(status))
      return new Response(null, { status })
    } catch (error) {
      log('no response')
      throw error
    }
  })
}

async function listen(sandbox: Sandbox, port: number, host: string, terminal: Terminal): Promise<Listening> {
  try {
    return await sandbox.listen({ port, host, onResponse: (served) => terminal.note(requestLine(served)) })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error
    throw new UsageError(`Port ${port} is in use: stop the other program, or choose another port with --port <number>`)
  }
}

/** Formats the variables as an .env file, with explanations as comments. */
function welcome(sandbox: Sandbox, url: string, webhookUrls: readonly string[]): string[] {
  return [
    '# The payments sandbox is ready. Set these variables in the environment of your application:',
    `PAYMENTS_BASE_URL=${url}`,
    `PAYMENTS_API_KEY=${sandbox.apiKey}`,
    `PAYMENTS_WEBHOOK_SECRET=${sandbox.webhooks.secret}`,
    webhookUrls.length > 0
      ? `# Webhooks are sent to ${webhookUrls.join(' and ')}`
      : '# No webhooks are sent. To send them to your server, restart with --webhook-url <url>',
    `# Create payments with these payment method tokens: ${Object.values(sandbox.tokens).join(', ')}`,
    '# Press Ctrl+C to stop',
  ]
}

/** Formats the log line of a request. Omits the query, because it may contain a client token. */
function requestLine({ method, path, status, durationMs }: Served): string {
  return logLine(method, path.replace(/\?.*/, ''), String(status ?? 'no response'), `${Math.round(durationMs)} ms`)
}

function logLine(...parts: readonly string[]): string {
  return [new Date().toISOString().slice(11, 19), ...parts].join('  ')
}
