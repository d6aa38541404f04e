import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout } from 'node:timers/promises'
import { createMemoryJournal } from 'payments-client'
import { createOrders } from 'payments-client/orders'
import { createSandbox } from 'payments-client/sandbox'
import { createHandler, sign } from 'payments-client/webhooks'
import { runRecipe } from '../recipe.mjs'
import { body, failureOf, newClient } from '../support.mjs'

const guides = join(import.meta.dirname, '../../../docs/guides')
const secret = 'a secret of at least 16 bytes'

/** Starts the Prometheus exporter with the code block in the guide. */
export default async function start() {
  const metricsPort = await freePort()
  const env = { METRICS_PORT: String(metricsPort) }
  await runRecipe('observability.md', 'new PrometheusExporter', { env })
  await causeEverything()
  const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text()
  const samples = parse(text)

  /** Finds the metrics, labels and label values that an expression uses but that are never exported. */
  function problemsOf(expression) {
    const problems = []
    for (const { pattern, matchers } of selectorsIn(expression)) {
      const name = [...samples.keys()].find((exported) => new RegExp(`^${pattern}$`).test(exported))
      const labels = samples.get(name)
      if (labels === undefined) problems.push(`${pattern} is not exported`)
      // Over OTLP, the names of histograms include the unit.
      const otlpName = name?.replace('_duration_', '_duration_seconds_')
      if (!new RegExp(`^${pattern}$`).test(otlpName)) problems.push(`${pattern} does not match ${otlpName}`)
      for (const [label, value] of matchers) {
        const values = labels?.get(label)
        if (values === undefined) problems.push(`${pattern} has no label ${label}`)
        else if (!/^\$|^$/.test(value)) {
          const missing = value.split('|').filter((wanted) => !values.has(wanted))
          if (missing.length > 0) problems.push(`${label} of ${name} is never ${missing}`)
        }
      }
    }
    return problems
  }
  const labelsOf = (name) =>
    new Set([...samples].filter(([key]) => key.startsWith(name)).flatMap(([, labels]) => [...labels.keys()]))

  return {
    async names() {
      const guide = readFileSync(join(guides, 'observability.md'), 'utf8')
      const rows = [...guide.matchAll(/^- `[\w.]+` \((histogram|counter|gauge).*\): `(\w+)`$/gm)]
      const exported = [...text.matchAll(/^# TYPE (?!target_info|otel_)(\w+) (\w+)$/gm)].map(
        ([, name, type]) => `${type} ${name}`,
      )
      assert.deepEqual(rows.map(([, type, name]) => `${type} ${name}`).sort(), exported.sort())
    },
    async dashboard() {
      const dashboard = JSON.parse(readFileSync(join(guides, 'grafana-dashboard.json'), 'utf8'))
      const targets = dashboard.panels.flatMap(({ targets }) => targets)
      assert.ok(targets.length >= 10)
      for (const { expr, legendFormat } of targets) {
        assert.match(expr, /(payments|http)_/)
        assert.deepEqual(problemsOf(expr), [], expr)
        const [metric] = /(payments|http)_[a-z_]*?(duration|total|open)/.exec(expr)
        const used = [
          ...[...expr.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, labels]) => labels.split(/, */)),
          ...[...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label]) => label),
        ]
        assert.deepEqual(
          used.filter((label) => !labelsOf(metric).has(label)),
          [],
          expr,
        )
      }
      for (const { query = '', type } of dashboard.templating.list) {
        if (type !== 'query') continue
        const [, metric, label] = /^label_values\((\{.*\}), (\w+)\)$/.exec(query)
        assert.deepEqual(problemsOf(metric.replace('}', `, ${label}=""}`)), [], query)
      }
    },
    async alerts() {
      const rules = readFileSync(join(guides, 'prometheus-alerts.yaml'), 'utf8')
      const alerts = [...rules.matchAll(/^ +- alert: (\w+)\n +expr: (.*)$/gm)]
      assert.ok(alerts.length > 0)
      for (const [, , expression] of alerts) assert.deepEqual(problemsOf(expression), [], expression)
      assert.equal([...rules.matchAll(/^ +summary: /gm)].length, alerts.length)
    },
    async buckets() {
      const bounds = [...samples.get('payments_client_call_duration_bucket').get('le')]
      assert.ok(bounds.includes('0.1') && bounds.includes('120'), `Buckets: ${bounds}`)
    },
  }
}

/** Parses an expression's selectors: `name{label="value"}`, `name`, or `{__name__=~"pattern", label="value"}`. */
function selectorsIn(expression) {
  const found = expression.matchAll(
    /\b((?:payments|http)_\w+_(?:count|sum|bucket|total|open|review))\b(?:\{([^}]*)\})?|(?<!\w)\{([^}]*)\}/g,
  )
  return [...found].map(([, name, own = '', all = own]) => {
    const matchers = new Map([...all.matchAll(/(\w+)(?:=~?|!=)"([^"]*)"/g)].map(([, label, value]) => [label, value]))
    const pattern = name ?? matchers.get('__name__')
    matchers.delete('__name__')
    return { pattern, matchers }
  })
}

/** Makes calls and deliveries with every result that the dashboard and alerts use. */
async function causeEverything() {
  await (await newClient('/retry')).payments.create(body)
  await failureOf((await newClient('/reset-always')).clientSessions.create({ orderId: 'order-1' }))
  const sandbox = createSandbox()
  const client = await newClient('', sandbox.clientOptions())
  sandbox.faults.add({ operation: 'clientSessions.create', at: 40 })
  await failureOf(client.clientSessions.create({ orderId: 'order-1' }))

  await causeReview()
  await loseWebhook()
  const handler = createHandler({
    secret,
    on: {
      'PAYMENT.STATUS': ({ payment }) => {
        if (payment.id === 'pay_2') throw new Error('failed')
      },
    },
  })
  const deliver = (payment, signingSecret = secret) => {
    const sent = JSON.stringify({ eventType: 'PAYMENT.STATUS', payment })
    return handler(
      new Request('https://shop.test/', { method: 'POST', body: sent, headers: { ...sign(sent, signingSecret) } }),
    )
  }
  await deliver({ id: 'pay_1', dateUpdated: '2026-01-02T00:00:00Z' })
  await deliver({ id: 'pay_1', dateUpdated: '2026-01-01T00:00:00Z' })
  await deliver({ id: 'pay_2' })
  await deliver({ id: 'pay_3' }, 'another secret of 16 bytes')
}

/**
 * Creates two operations: one needs a review, because the service may have forgotten its key, and one has an unknown
 * result.
 */
async function causeReview() {
  const sandbox = createSandbox()
  const client = await newClient('', {
    ...sandbox.clientOptions(),
    journal: createMemoryJournal({ keyLifetime: 1 }),
    maxRetries: 0,
  })
  const { id } = await client.payments.create({ ...body, paymentMethodToken: sandbox.tokens.card })
  const lose = async () => {
    sandbox.faults.add({ operation: 'payments.capture', at: 'before', reset: true })
    await failureOf(client.payments.capture(id, { amount: 1 }))
  }
  await lose()
  await setTimeout(10)
  await client.operations.recover()
  await lose()
}

/** Authorizes a payment whose webhook never arrives, so that `sync` finds the change. */
async function loseWebhook() {
  const sandbox = createSandbox()
  const orders = createOrders({
    client: await newClient('', sandbox.clientOptions()),
    database: new DatabaseSync(':memory:'),
  })
  await orders.migrate()
  const { amount, currencyCode } = body
  const { payment } = await orders.pay('17', { paymentMethodToken: sandbox.tokens.pending, amount, currencyCode })
  sandbox.processor.authorize(payment.id)
  await orders.sync()
}

/** Parses Prometheus's text format into label values, by metric name and label. */
function parse(text) {
  const samples = new Map()
  for (const [, name, labels] of text.matchAll(/^(\w+)\{(.*)\} \S+( \d+)?$/gm)) {
    const known = samples.get(name) ?? new Map()
    samples.set(name, known)
    for (const [, label, value] of labels.matchAll(/(\w+)="([^"]*)"/g)) {
      known.set(label, (known.get(label) ?? new Set()).add(value))
    }
  }
  return samples
}

async function freePort() {
  const server = createServer()
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address()
  await new Promise((resolve) => server.close(resolve))
  return port
}
