import { once } from 'node:events'
import type { Command } from '@commander-js/extra-typings'
import type { Listening, Served } from '../sandbox/http/server.js'
import { createSandbox } from '../sandbox/index.js'
import type { Sandbox } from '../sandbox/sandbox.js'
import { addCommand, collected, httpUrl, integerFrom, UsageError } from './command.js'
import type { Terminal } from './terminal.js'

/** Adds `payments-client sandbox`. */
export function addSandboxCommand(program: Command, terminal: Terminal): void {
  addCommand(
    program,
    'sandbox',
    'Run the sandbox, which simulates the service, on this machine',
    'sandbox --port 4010 --webhook-url http://localhost:3000/webhooks',
  )
    .option('--port <number>', 'Port; 0 selects a free port', integerFrom(0, 65_535), 4010)
    .option('--host <address>', 'Address to listen on; only this machine can reach the default', '127.0.0.1')
    .option(
      '--webhook-url <url>',
      'Send webhooks to this URL; you can pass this option several times',
      collected(httpUrl),
    )
    .option('--seed <string>', 'Create the same keys and IDs in every run with this seed (default: random)')
    .addHelpText('after', notes)
    .action(async ({ port, host, seed, webhookUrl: webhookUrls = [], json }) => {
      const sandbox = createSandbox({ seed })
      for (const url of webhookUrls) forwardWebhooks(sandbox, url, terminal)
      const server = await listen(sandbox, port, host, terminal)
      const variables = {
        PAYMENTS_BASE_URL: server.url,
        PAYMENTS_API_KEY: sandbox.apiKey,
        PAYMENTS_WEBHOOK_SECRET: sandbox.webhooks.secret,
      }
      terminal.print(...(json ? [JSON.stringify(variables)] : welcome(sandbox, variables, webhookUrls)))
      if (!terminal.interrupted.aborted) await once(terminal.interrupted, 'abort')
      await server.close()
    })
}

const notes = `
The sandbox runs until you press Ctrl+C, and stores nothing on disk.
It logs every request and webhook to standard error.`

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
function welcome(sandbox: Sandbox, variables: Record<string, string>, webhookUrls: readonly string[]): string[] {
  return [
    '# The payments sandbox is ready. Set these variables in the environment of your application:',
    ...Object.entries(variables).map(([name, value]) => `${name}=${value}`),
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
