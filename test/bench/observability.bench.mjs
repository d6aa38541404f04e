/**
 * Measures the CPU time of diagnostics in two comparisons:
 *
 * - the package without subscribers, with a logger, and in a build without diagnostics
 * - `payments-client/opentelemetry` and OpenTelemetry's HTTP instrumentation
 *
 * The first comparison uses no network, because the CPU time of requests varies by more than diagnostics cost. Results
 * are relative to the CPU time of a call.
 */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'
import { paymentIn } from './fixtures/formats.mjs'
import { root, scratch } from './installed.mjs'
import { contest, cpuOf, smallestEffort } from './measure/contest.mjs'
import { startService } from './measure/service.mjs'

const kinds = ['read', 'create']

export async function observability({ quick }) {
  const folder = join(scratch, 'observability')
  mkdirSync(folder, { recursive: true })
  await Promise.all([
    bundle(join(folder, 'with.mjs'), [withoutNetwork]),
    bundle(join(folder, 'without.mjs'), [withoutNetwork, withoutDiagnostics]),
  ])
  const service = await startService()
  try {
    const compare = async (contenders, effort) => {
      const costs = await contest(contenders, { ...effort, ...(quick && smallestEffort), lanes: 64 })
      return (name) => kinds.reduce((sum, kind) => sum + cpuOf(costs, `${name} ${kind}`), 0)
    }
    const idle = await compare(['without', 'silent', 'logger'].flatMap(oneProcess), { rounds: 120, blockMs: 30 })
    const traced = await compare(['silent', 'instrumented', 'http'].flatMap(ownProcess), {
      rounds: 20,
      blockMs: 200,
      service,
    })
    const call = traced('silent')
    const added = (name) => traced(name) - call
    const without = call - (idle('silent') - idle('without'))
    return {
      silent: call / without,
      logger: (call + idle('logger') - idle('silent')) / without,
      // The cost of one read plus one create.
      microseconds: { call, silent: idle('silent') - idle('without'), logger: idle('logger') - idle('without') },
      opentelemetry: { total: traced('instrumented') / traced('http'), added: added('instrumented') / added('http') },
    }
  } finally {
    service.stop()
  }
}

/** Returns contenders that share a process: the CPU times of two processes differ by more than diagnostics take. */
function oneProcess(name) {
  const module = new URL('contenders/diagnostics.mjs', import.meta.url)
  return kinds.map((kind) => ({ name: `${name} ${kind}`, group: 'diagnostics', module, operation: `${name} ${kind}` }))
}

/** Returns contenders in separate processes, because an instrumentation applies to the whole process. */
function ownProcess(name) {
  const module = new URL('contenders/instrumented.mjs', import.meta.url)
  return kinds.map((kind) => ({ name: `${name} ${kind}`, group: name, module, opener: name, operation: kind }))
}

async function bundle(outfile, plugins) {
  await build({
    entryPoints: [join(root, 'src/index.ts')],
    outfile,
    plugins,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node22',
    logLevel: 'silent',
  })
}

/** An esbuild plugin that replaces the HTTP adapter with one that always returns the same response. */
const withoutNetwork = {
  name: 'without-network',
  setup({ onLoad }) {
    const contents = `
      const headers = new Headers({ 'content-type': 'application/json' })
      const body = ${JSON.stringify(paymentIn.ours(0))}
      export const prefersNodeHttp = () => true
      export const isRuntimeFetch = () => false
      export const sendOverNode = async (exchange) => {
        exchange.onConnected()
        exchange.onResponse({ status: 200, headers })
        return exchange.parse(body)
      }`
    onLoad({ filter: /transport\/http\/node\.ts$/ }, () => ({ contents, loader: 'ts' }))
  },
}

/** An esbuild plugin that removes the reporting of events. */
const withoutDiagnostics = {
  name: 'without-diagnostics',
  setup({ onLoad }) {
    const replace = (filter, contents) => onLoad({ filter }, () => ({ contents, loader: 'ts' }))
    replace(
      /transport\/events\.ts$/,
      `export const requestStarted = ({ call }) => ({ ...call.settings.headers, ...call.request.options.headers })
       export const callEnded = () => {}
       export const responseReceived = () => {}
       export const retryScheduled = () => {}
       export const slotDelayed = () => {}
       export const responseInvalid = () => {}
       export const checkFilters = () => {}
       export const recordingFailed = () => {}
       export const eventOf = () => ({})`,
    )
    replace(
      /transport\/channels\.ts$/,
      `export const channels = { call: { hasSubscribers: false }, attempt: { hasSubscribers: false } }
       export const traceCall = (_, send) => send()
       export const traceAttempt = (_, send) => send()`,
    )
  },
}
