// Imports a module or calls `fetch`, then prints the outcome and the message of a call whose connection is refused.
import { PaymentsClient } from '../../../src/index.js'

const [, , baseUrl = '', used = ''] = process.argv
await (used === 'fetch' ? fetch(baseUrl) : import(used)).catch(() => {})

const client = new PaymentsClient({ apiKey: 'key-1', baseUrl, maxRetries: 0 })
await client.payments.get('pay_1').catch(({ outcome, message }) => console.log(outcome, message))
