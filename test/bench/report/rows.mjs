/**
 * Functions that convert the results of each suite to report rows.
 *
 * A row has a description, our result, the goal, and the peers' results by name. A goal is a maximum unless `atLeast`
 * is set. Results are ratios, or sizes and counts with a unit.
 */
export const rows = {
  calls: callRows,
  validation: validationRows,
  webhooks: webhookRows,
  stores: storeRows,
  load: () => [],
  lists: listRows,
  start: startRows,
  weight: weightRows,
}

function callRows({ reads, concurrent, sequential }) {
  return [
    ...Object.entries(reads).flatMap(([version, figures]) => readRows(version, figures)),
    row('Read a payment, 64 calls at a time: CPU time ÷ plain `fetch` and `json()`', undefined, {
      values: relative(concurrent, 'fetch', ({ read }) => read.cpuUs),
      chart: 'Read a payment, 64 in flight, CPU ÷ raw fetch',
    }),
    row('Create a payment, 64 calls at a time: CPU time ÷ plain `fetch` and `json()`', undefined, {
      values: relative(concurrent, 'fetch', ({ create }) => create.cpuUs),
      chart: 'Create a payment, 64 in flight, CPU ÷ raw fetch',
    }),
    row('Read and create a payment, 64 calls at a time: CPU time ÷ stripe', undefined, {
      values: relative(concurrent, 'stripe', ({ cpuUs }) => cpuUs),
    }),
    row('Read and create a payment, 64 calls at a time: CPU time ÷ plain `node:http`', undefined, {
      values: relative(concurrent, 'node-http', ({ cpuUs }) => cpuUs),
    }),
    row('Calls per second, 64 calls at a time ÷ stripe', 1.4, {
      atLeast: true,
      values: relative(concurrent, 'stripe', ({ wallUs }) => 1 / wallUs),
    }),
    row('One call after another: time ÷ stripe', 0.68, {
      values: relative(sequential, 'stripe', ({ wallUs }) => wallUs),
      chart: 'One call after another, time ÷ stripe',
    }),
  ]
}

/** Returns the rows about reads on one version of Node. */
function readRows(version, figures) {
  return [
    row(`Read a payment on Node ${version}: CPU time ÷ stripe`, 0.65, {
      values: relative(figures, 'stripe', ({ cpuUs }) => cpuUs),
    }),
    row(`Read a payment on Node ${version}: CPU time ÷ plain \`node:http\``, 1.25, {
      values: relative(figures, 'node-http', ({ cpuUs }) => cpuUs),
    }),
  ]
}

function validationRows({ payment, page }) {
  const zod = ({ schema }) => ({ 'zod, from `payments-client/schemas`': schema })
  return [
    row('Parse and validate one payment: CPU time ÷ `JSON.parse`', 1.7, {
      values: { [ourName]: payment.client, ...zod(payment) },
    }),
    row('Parse and validate a page of 100 payments: CPU time ÷ `JSON.parse`', 2.1, {
      values: { [ourName]: page.client, ...zod(page) },
    }),
  ]
}

function webhookRows(webhooks) {
  return [
    row('Verify and parse a webhook: CPU time ÷ HMAC, comparison and `JSON.parse` alone', 1.15, {
      values: relative(webhooks, 'bare', ({ cpuUs }) => cpuUs),
      chart: 'Verify and read a webhook, CPU ÷ bare HMAC',
    }),
  ]
}

function storeRows({ postgres, redis }) {
  const perSecond = (figures) => relative(figures, 'by hand', ({ wallUs }) => 1 / wallUs)
  const byHand = 'a receiver written by hand (signature, parsing'
  return [
    row(`Webhook handler with PostgreSQL: deliveries per second ÷ ${byHand}, one transaction)`, 0.85, {
      atLeast: true,
      values: perSecond(postgres),
    }),
    row(`Webhook handler with Redis: deliveries per second ÷ ${byHand}, two round trips)`, 0.85, {
      atLeast: true,
      values: perSecond(redis),
    }),
  ]
}

function listRows({ speed, overlap }) {
  return [
    row('Read 100,000 items: items per second ÷ stripe', 1.1, {
      atLeast: true,
      values: relative(speed, 'stripe', ({ usPerItem }) => 1 / usPerItem),
      chart: 'Items of a long list per second ÷ stripe (more is better)',
    }),
    row('Read 100,000 items: peak memory ÷ stripe', 1, {
      values: relative(speed, 'stripe', ({ peakMb }) => peakMb),
    }),
    row('Read pages while the consumer awaits: time per page ÷ the slower of service and consumer', 1.24, {
      values: overlap.awaiting,
      chart: 'Time per page ÷ the slower of service and consumer',
    }),
    row('Read pages while the consumer computes: time per page ÷ the slower of service and consumer', 1.24, {
      values: overlap.computing,
    }),
  ]
}

function startRows({ esm, cjs, firstCall }) {
  return [
    row('Import `payments-client`: time ÷ stripe', 0.17, {
      values: without(
        relative(esm, 'stripe', ({ ms }) => ms),
        ourOtherEntries,
      ),
      chart: 'Import, time ÷ stripe',
    }),
    row('… with `require`: time ÷ stripe', 0.25, {
      values: without(
        relative(cjs, 'stripe', ({ ms }) => ms),
        ourOtherEntries,
      ),
    }),
    row('Import `payments-client/webhooks`', 4, {
      unit: 'ms',
      ours: 'payments-client/webhooks',
      values: only(
        mapValues(esm, ({ ms }) => ms),
        webhookPackages,
      ),
    }),
    row('Memory after importing `payments-client`', 4, {
      unit: 'MB',
      values: without(
        mapValues(esm, ({ rssMb }) => rssMb),
        ourOtherEntries,
      ),
    }),
    row('Start a process and receive the first response: time ÷ stripe', undefined, {
      values: relative(firstCall, 'stripe', ({ ms }) => ms),
    }),
  ]
}

function weightRows(weight) {
  const of = (figure) => without(mapValues(weight, figure), ourOtherEntries)
  const webhookBundles = only(
    mapValues(weight, ({ bundle }) => bundle.gzipped / 1000),
    webhookPackages,
  )
  return [
    row("Size in a consumer's bundle, minified and compressed", 60, {
      unit: 'KB',
      values: of(({ bundle }) => bundle.gzipped / 1000),
      chart: "In a consumer's bundle, KB minified and compressed",
    }),
    row('… if the consumer only verifies webhooks', undefined, {
      unit: 'KB',
      ours: 'payments-client/webhooks',
      values: webhookBundles,
    }),
    row("TypeScript types added to a consumer's compilation", 2500, {
      unit: 'types',
      values: of(({ compilation }) => compilation.types),
    }),
    row("TypeScript type instantiations added to a consumer's compilation", 400, {
      unit: 'instantiations',
      values: of(({ compilation }) => compilation.instantiations),
    }),
    row('Compiler errors in the declarations', 0, {
      unit: 'errors',
      values: of(({ compilation }) => compilation.errors),
    }),
    row('Files loaded by the import', undefined, {
      unit: 'files',
      values: of(({ modules }) => modules.files),
    }),
    row('Installed packages', 3, {
      unit: 'packages',
      values: of(({ installed }) => installed?.packages),
    }),
    row('Installed size, with dependencies', undefined, {
      unit: 'MB',
      values: of(({ installed }) => installed && installed.bytes / 1e6),
    }),
  ]
}

const ourName = 'payments-client'
const ourOtherEntries = ['payments-client/webhooks', 'payments-client/schemas', 'payments-client/sandbox']
const webhookPackages = ['payments-client/webhooks', 'stripe']

function row(what, goal, { ours = ourName, values, unit, atLeast = false, chart }) {
  const { [ours]: our, ...peers } = values
  // A negative result is a measurement error, so it does not meet the goal.
  const met = goal === undefined ? undefined : our >= 0 && (atLeast ? our >= goal : our <= goal)
  return { what, ours: our, goal, atLeast, met, peers, unit, chart }
}

function relative(figures, base, read) {
  return mapValues(figures, (figure) => read(figure) / read(figures[base]))
}

function mapValues(object, change) {
  const entries = Object.entries(object).map(([name, value]) => [name, change(value)])
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined))
}

function without(object, names) {
  return Object.fromEntries(Object.entries(object).filter(([name]) => !names.includes(name)))
}

function only(object, names) {
  return Object.fromEntries(Object.entries(object).filter(([name]) => names.includes(name)))
}
