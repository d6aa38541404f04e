// Lists payments and exports them to a JSON Lines file.
import { appendFile, mkdtemp, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PaymentsClient } from 'payments-client'
import { createSandbox } from 'payments-client/sandbox'

const sandbox = createSandbox({ now: new Date('2026-03-02T09:00:00Z') })
const client = new PaymentsClient(sandbox.clientOptions())

for (let number = 1; number <= 250; number++) {
  const paymentMethodToken = number % 10 === 0 ? sandbox.tokens.declined : sandbox.tokens.card
  await client.payments.create({ paymentMethodToken, orderId: `order-${number}`, currencyCode: 'EUR', amount: 100 })
}

// Get one page, then the next.
const page = await client.payments.list({ status: 'DECLINED', limit: 10 })
console.log(page.data.map(({ orderId }) => orderId).slice(0, 3)) //=> [ 'order-10', 'order-20', 'order-30' ]
console.log(page.hasNextPage) //=> true
const second = await page.nextPage()
console.log(second?.data.at(0)?.orderId) //=> 'order-110'

// Get the first 12 payments as an array.
const some = await client.payments.list({ status: ['AUTHORIZED', 'DECLINED'] }).toArray({ limit: 12 })
console.log(some.length) //=> 12

// Export all payments since yesterday, page by page. Store the cursor of the next page only after this page is written.
// After a failure, the export can then continue with the stored cursor.
const file = join(await mkdtemp(join(tmpdir(), 'export-')), 'payments.jsonl')
const since = new Date(sandbox.clock.now().getTime() - 24 * 3_600_000)
let cursor: string | undefined // the stored cursor; undefined at first
const params = { fromDate: since, limit: 100, ...(cursor !== undefined && { cursor }) }
for await (const { data, nextCursor } of client.payments.list(params).pages()) {
  await appendFile(file, data.map((payment) => `${JSON.stringify(payment)}\n`).join(''))
  cursor = nextCursor
}
console.log((await readFile(file, 'utf8')).trimEnd().split('\n').length) //=> 250
