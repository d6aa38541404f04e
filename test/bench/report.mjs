/** Formats results, and writes them to docs/project/benchmarks.md. */
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { join } from 'node:path'
import { root } from './installed.mjs'

const ours = 'payments-client'

const orderCalls = {
  pay: '`orders.pay` with PostgreSQL, in addition to `payments.create`',
  webhook: 'Webhook through `orders` with PostgreSQL',
}

/**
 * The rows of the table, by suite. `of` converts the suite's results to the results of each package.
 *
 * A goal is a maximum unless `atLeast` is set. Results are ratios, or sizes and counts with a unit.
 */
const rows = {
  calls: [
    ...['24', '26'].flatMap((version) => [
      {
        what: `Read a payment on Node ${version}: CPU time ÷ stripe`,
        goal: 0.75,
        of: ({ reads }) => relative(reads[version], 'stripe', ({ cpuUs }) => cpuUs),
      },
      {
        what: `Read a payment on Node ${version}: CPU time ÷ plain \`node:http\``,
        of: ({ reads }) => relative(reads[version], 'node-http', ({ cpuUs }) => cpuUs),
      },
    ]),
    {
      what: 'Create a payment, 64 calls at a time: CPU time ÷ stripe',
      of: ({ concurrent }) => relative(concurrent, 'stripe', ({ create }) => create.cpuUs),
    },
    {
      what: 'Calls per second, 64 calls at a time ÷ stripe',
      goal: 1.2,
      atLeast: true,
      of: ({ concurrent }) => relative(concurrent, 'stripe', ({ wallUs }) => 1 / wallUs),
    },
    {
      what: 'One call after another: time ÷ stripe',
      goal: 0.9,
      of: ({ sequential }) => relative(sequential, 'stripe', ({ wallUs }) => wallUs),
    },
  ],
  validation: [
    {
      what: 'Parse and validate one payment: CPU time ÷ `JSON.parse`',
      goal: 3,
      of: ({ payment }) => ({ [ours]: payment }),
    },
    {
      what: 'Parse and validate a page of 100 payments: CPU time ÷ `JSON.parse`',
      goal: 2.5,
      of: ({ page }) => ({ [ours]: page }),
    },
  ],
  webhooks: [
    {
      what: 'Verify and parse a webhook: CPU time ÷ stripe, which validates nothing',
      goal: 1.1,
      of: (results) => relative(results, 'stripe', ({ cpuUs }) => cpuUs),
    },
  ],
  stores: [
    {
      what: 'Webhook handler with PostgreSQL: deliveries per second ÷ a receiver written by hand',
      goal: 0.6,
      atLeast: true,
      of: ({ postgres }) => relative(postgres, 'by hand', ({ wallUs }) => 1 / wallUs),
    },
    {
      what: 'Webhook handler with Redis: deliveries per second ÷ a receiver written by hand',
      goal: 0.5,
      atLeast: true,
      of: ({ redis }) => relative(redis, 'by hand', ({ wallUs }) => 1 / wallUs),
    },
  ],
  orders: [
    ...['pay', 'webhook'].flatMap((call) => [
      ...['statements', 'transactions'].map((unit) => ({
        what: `${orderCalls[call]}: ${unit}`,
        unit,
        of: (results) => ({ [ours]: results[call][unit] }),
      })),
      { what: `${orderCalls[call]}: time`, unit: 'ms', of: (results) => ({ [ours]: results[call].ms }) },
    ]),
    {
      what: '`recover` of 10,000 open operations: time per operation ÷ with 1,000',
      goal: 1.2,
      of: ({ recovery }) => ({ [ours]: recovery }),
    },
  ],
  load: [
    {
      what: 'Client, 1,000 calls at a time: memory in the last quarter ÷ in the second quarter',
      goal: 1.05,
      of: ({ client }) => ({ [ours]: client }),
    },
    {
      what: 'Receiver with PostgreSQL, 200 deliveries at a time: memory in the last quarter ÷ in the second quarter',
      goal: 1.05,
      of: ({ receiver }) => ({ [ours]: receiver }),
    },
  ],
  lists: [
    {
      what: 'Read 100,000 items: items per second ÷ stripe',
      goal: 1,
      atLeast: true,
      of: ({ speed }) => relative(speed, 'stripe', ({ usPerItem }) => 1 / usPerItem),
    },
    {
      what: 'Read 100,000 items: peak memory ÷ stripe',
      goal: 1.1,
      of: ({ speed }) => relative(speed, 'stripe', ({ peakMb }) => peakMb),
    },
    {
      what: 'Read pages while the consumer waits: time per page ÷ the slower of service and consumer',
      goal: 1.3,
      of: ({ overlap }) => overlap,
    },
  ],
  start: [
    {
      what: 'Import `payments-client`: time ÷ stripe',
      goal: 0.6,
      of: ({ esm }) => relative(esm, 'stripe', ({ ms }) => ms),
    },
    {
      what: '… with `require`: time ÷ stripe',
      goal: 0.6,
      of: ({ cjs }) => relative(cjs, 'stripe', ({ ms }) => ms),
    },
    {
      what: 'Memory after importing `payments-client`',
      goal: 18,
      unit: 'MB',
      of: ({ esm }) => mapValues(esm, ({ rssMb }) => rssMb),
    },
  ],
  weight: [
    {
      what: "Size in a consumer's bundle, minified and compressed",
      goal: 60,
      unit: 'KB',
      of: (results) => mapValues(results, ({ gzipped }) => gzipped / 1000),
    },
    {
      what: "TypeScript types added to a consumer's compilation",
      goal: 2500,
      unit: 'types',
      of: (results) => mapValues(results, ({ compilation }) => compilation.types),
    },
    {
      what: "TypeScript type instantiations added to a consumer's compilation",
      goal: 400,
      unit: 'instantiations',
      of: (results) => mapValues(results, ({ compilation }) => compilation.instantiations),
    },
    {
      what: 'Installed packages',
      goal: 3,
      unit: 'packages',
      of: (results) => mapValues(results, ({ installed }) => installed.packages),
    },
    {
      what: 'Installed size, with dependencies',
      unit: 'MB',
      of: (results) => mapValues(results, ({ installed }) => installed.bytes / 1e6),
    },
  ],
}

/** Returns the results as a Markdown table, with a row for each goal of the measured suites. */
export function table(results) {
  const cells = Object.entries(results).flatMap(([suite, result]) => rows[suite].map((row) => cellsOf(row, result)))
  const head = ['What', 'Ours', 'Goal', '', 'Peers']
  return [head, head.map(() => '---'), ...cells].map((row) => `| ${row.join(' | ')} |`).join('\n')
}

function cellsOf({ what, goal, atLeast = false, unit = '×', of }, result) {
  const { [ours]: our, ...peers } = of(result)
  const format = (value) => (Number.isInteger(value) ? value.toLocaleString('en') : value.toFixed(2))
  const isMet = atLeast ? our >= goal : our <= goal
  const all = Object.entries(peers).map(([name, value]) => `${name} ${format(value)}`)
  return [
    what,
    `**${format(our)} ${unit}**`,
    goal === undefined ? '' : `${atLeast ? '≥' : '≤'} ${format(goal)} ${unit}`,
    goal === undefined ? '' : isMet ? 'met' : '**missed**',
    all.join(', '),
  ]
}

/** Replaces the results in docs/project/benchmarks.md. */
export function writeReport(results, disturbed) {
  const file = join(root, 'docs/project/benchmarks.md')
  const git = (...args) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim()
  const machine = `Node ${process.versions.node}, ${process.platform} ${process.arch}, ${cpus().length} cores`
  const date = new Date().toISOString().slice(0, 10)
  const warning =
    disturbed.length === 0 ? '' : ` Other processes used the machine while we measured ${disturbed.join(', ')}.`
  const origin = `Measured on ${date} at commit ${git('rev-parse', '--short', 'HEAD')} with ${machine}.${warning}`
  const [before, , after] = readFileSync(file, 'utf8').split(/(?<=<!-- results -->\n)|(?=<!-- end of results -->)/)
  writeFileSync(file, `${before}\n${origin}\n\n${table(results)}\n\n${after}`)
}

function relative(results, base, read) {
  return mapValues(results, (result) => read(result) / read(results[base]))
}

function mapValues(object, change) {
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [name, change(value)]))
}
