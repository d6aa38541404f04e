import { once } from 'node:events'
import { integer } from '../internal/options.js'
import type { Listening, Served } from '../sandbox/http/server.js'
import { createSandbox } from '../sandbox/index.js'
import type { Sandbox } from '../sandbox/sandbox.js'
import { defineCommand, httpUrl, UsageError } from './command.js'
import type { Terminal } from './terminal.js'

/** `payments-client sandbox` */
export const sandbox = defineCommand({
  summary: 'Run the service in memory on this machine',
  options: {
    port: { value: 'number', help: 'Port, 0 for a free one (default: 4010)', number: true, rule: integer(0, 65_535) },
    host: { value: 'address', help: 'Address to listen on (default: 127.0.0.1, this machine only)' },
    'webhook-url': { value: 'url', help: 'Send webhooks to this URL (several allowed)', multiple: true, rule: httpUrl },
    seed: { value: 'string', help: 'The same seed creates the same keys and ids (default: random)' },
  },
  notes: ['Runs until Ctrl+C, without writing to disk. Logs every request and webhook to standard error.'],
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
    throw new UsageError(`Port ${port} is in use: stop the other program, or choose another port with --port`)
  }
}

/** Formats an .env file, with explanations as comments. */
function welcome(sandbox: Sandbox, url: string, webhookUrls: readonly string[]): string[] {
  return [
    '# The payments sandbox is ready. Set these variables in the environment of your application:',
    `PAYMENTS_BASE_URL=${url}`,
    `PAYMENTS_API_KEY=${sandbox.apiKey}`,
    `PAYMENTS_WEBHOOK_SECRET=${sandbox.webhooks.secret}`,
    webhookUrls.length > 0
      ? `# Webhooks are sent to ${webhookUrls.join(' and ')}`
      : '# Webhooks are not sent: set a receiver with --webhook-url',
    `# Payment method tokens: ${Object.values(sandbox.tokens).join(', ')}`,
    '# Stop with Ctrl+C',
  ]
}

/** Omits the query, because it may contain a client token. */
function requestLine({ method, path, status, durationMs }: Served): string {
  return logLine(method, path.replace(/\?.*/, ''), String(status ?? 'no response'), `${Math.round(durationMs)} ms`)
}

function logLine(...parts: readonly string[]): string {
  return [new Date().toISOString().slice(11, 19), ...parts].join('  ')
}
