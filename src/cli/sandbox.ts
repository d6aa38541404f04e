import { once } from 'node:events'
import { type Command, InvalidArgumentError, Option } from '@commander-js/extra-typings'
import { parseDatetime } from '../core/internal/calendar.js'
import { problemWith } from '../core/internal/validation.js'
import type { Listening, ListenOptions, Sandbox, Served } from '../testing/sandbox/api.js'
import type { Duration } from '../testing/sandbox/internal/clock.js'
import { hostName, optionShape } from '../testing/sandbox/internal/options.js'
import { addCommand, CommandFailed, checked, collected, httpUrl, integerFrom } from './command.js'
import type { Terminal } from './terminal.js'

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
      '--allowed-host <name>',
      'Further host name or address for the inspector page; you can pass this option several times',
      collected(hostName),
    )
    .option(
      '--webhook-url <url>',
      'Send webhooks to this URL; you can pass this option several times',
      collected(httpUrl),
    )
    .option('--open', 'Open the inspector page in the browser')
    .option('--seed <string>', 'Create the same keys and IDs in every run with this seed (default: random)')
    .option('--now <datetime>', 'Stop the clock at this ISO 8601 time (default: the clock runs)', toTime)
    .option('--list-delay <duration>', 'Time until a new payment is listed, e.g. 60s or 500ms (default: 0)', toDuration)
    .addOption(
      new Option('--idempotency <mode>', 'Response to a used idempotency key')
        .choices(['replay', 'conflict', 'conflict-400'])
        .default('replay' as const),
    )
    .addOption(
      new Option('--session-update <mode>', 'Effect of a session update on customer and order')
        .choices(['merge', 'replace'])
        .default('merge' as const),
    )
    .addHelpText('after', notes)
    .action(async ({ port, host, allowedHost: allowedHosts, webhookUrl: webhookUrls = [], open, json, ...options }) => {
      // Loads the module lazily, because the other commands do not need it.
      const { createSandbox } = await import('../testing/index.js')
      const sandbox = createSandbox(options)
      for (const url of webhookUrls) sandbox.webhooks.subscribe(url)
      void logWebhooks(sandbox, terminal)
      const server = await listen(sandbox, { port, host, allowedHosts }, terminal)
      const variables = {
        PAYMENTS_BASE_URL: server.url,
        PAYMENTS_API_KEY: sandbox.apiKey,
        PAYMENTS_WEBHOOK_SECRET: sandbox.webhooks.secret,
      }
      terminal.print(...(json ? [JSON.stringify(variables)] : welcome(sandbox, variables, webhookUrls)))
      if (open) terminal.open(inspectorUrl(server.url))
      if (!terminal.interrupted.aborted) await once(terminal.interrupted, 'abort')
      await server.close()
    })
}

function toTime(value: string): Date {
  const time = new Date(parseDatetime(value))
  const problem = problemWith(optionShape.now, time)
  if (problem) throw new InvalidArgumentError('It must be an ISO 8601 time, such as 2026-03-01T12:00:00Z.')
  return time
}

function toDuration(value: string): Duration {
  const duration = /^\d+$/.test(value) ? Number(value) : (value as Duration)
  checked(optionShape.listDelay, () => duration)(value)
  return duration
}

const notes = `
The sandbox runs until you press Ctrl+C, and stores nothing on disk.
It logs every request and webhook to standard error.`

async function logWebhooks({ events, webhooks }: Sandbox, terminal: Terminal): Promise<void> {
  for await (const { type, deliveryId } of events) {
    if (type !== 'delivery') continue
    const delivery = webhooks.deliveries.findLast(({ id }) => id === deliveryId)
    if (!delivery || (delivery.status === undefined && delivery.error === undefined)) continue
    const { origin, pathname } = new URL(delivery.to)
    const result = String(delivery.status ?? 'no response')
    terminal.note(logLine('webhook', `${delivery.eventType} to ${origin}${pathname}`, result))
  }
}

async function listen(sandbox: Sandbox, options: ListenOptions, terminal: Terminal): Promise<Listening> {
  try {
    return await sandbox.listen({ ...options, onResponse: (served) => terminal.note(requestLine(served)) })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error
    const advice = 'stop the other program, or choose another port with --port <number>'
    throw new CommandFailed(`Port ${options.port} is in use: ${advice}`)
  }
}

function inspectorUrl(url: string): string {
  return `${url}/__sandbox/`
}

function welcome(sandbox: Sandbox, variables: Record<string, string>, webhookUrls: readonly string[]): string[] {
  return [
    '# The payments sandbox is ready. Set these variables in the environment of your application:',
    ...Object.entries(variables).map(([name, value]) => `${name}=${value}`),
    webhookUrls.length > 0
      ? `# Webhooks are sent to ${webhookUrls.join(' and ')}`
      : '# No webhooks are sent. To send them to your server, restart with --webhook-url <url>',
    `# Create payments with these payment method tokens: ${Object.values(sandbox.tokens).join(', ')}`,
    `# Watch payments, requests and webhooks: ${inspectorUrl(variables['PAYMENTS_BASE_URL'] ?? '')}`,
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
