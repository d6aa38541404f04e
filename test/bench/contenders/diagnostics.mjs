import { join } from 'node:path'
import { creation } from '../fixtures/payments.mjs'
import { scratch } from '../installed.mjs'

const ignore = () => {}
const logger = { debug: ignore, info: ignore, warn: ignore, error: ignore }

/**
 * Returns functions that make calls without the network. Their names start with the configuration: `without` is a build
 * without diagnostics, `silent` is the complete package, and `logger` is the complete package with a logger.
 */
export async function open() {
  const load = (name) => import(join(scratch, 'observability', `${name}.mjs`))
  const [complete, without] = await Promise.all([load('with'), load('without')])
  const operations = {}
  const add = (name, { PaymentsClient }, options) => {
    const client = new PaymentsClient({ apiKey: 'key', baseUrl: 'https://payments.test', ...options })
    operations[`${name} create`] = async (index) => (await client.payments.create(creation(index))).amount
    operations[`${name} read`] = async (index) => (await client.payments.get(`pay_${index}`)).amount
  }
  add('without', without)
  add('silent', complete)
  add('logger', complete, { logger, logLevel: 'warn' })
  return operations
}
