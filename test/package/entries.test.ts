import { join } from 'node:path'
import { describe, expect, inject, it } from 'vitest'
import { machinesNode, run } from './consumer.js'

const nodes = { 'the project’s Node.js': process.execPath, 'the machine’s Node.js': machinesNode() }
const told = { eventType: 'PAYMENT.STATUS', status: 'SETTLED' }

describe.each(Object.entries(nodes))('on %s', (_, node) => {
  it.each(['esm.mjs', 'cjs.cjs'])('every entry loads and works from %s', async (program) => {
    const printed = await run(node, [program], inject('bare'))

    expect(JSON.parse(printed)).toEqual(told)
  })

  it.each(['msw.mjs', 'msw.cjs'])('the sandbox answers through msw 2 from %s', async (program) => {
    const printed = await run(node, [program], inject('msw2'))

    expect(JSON.parse(printed)).toEqual(told)
  })

  it.each([
    ['module', "import * as main from 'payments-client'"],
    ['commonjs', "const main = require('payments-client')"],
  ])('classes have the names that they are known by, from a %s', async (type, load) => {
    const program = `${load}
      const client = new main.PaymentsClient({ apiKey: 'key-1', baseUrl: 'https://payments.example.com' })
      const list = client.payments.list()
      const call = client.payments.get('..')
      call.catch(() => {})
      const objects = [client, client.withOptions({}), client.payments, list, list.resumeFrom(list.checkpoint()), call]
      const errors = Object.entries(main).filter(([, value]) => value.prototype instanceof Error)
      console.log(JSON.stringify({
        objects: objects.map((object) => object.constructor.name),
        exported: errors.map(([name]) => name),
        errors: errors.map(([, value]) => value.name),
      }))`

    const printed = await run(node, [`--input-type=${type}`, '--eval', program], inject('bare'))

    const { objects, exported, errors } = JSON.parse(printed)
    expect(objects).toEqual(['PaymentsClient', 'PaymentsClient', 'Payments', 'PagedList', 'PagedList', 'Call'])
    expect(errors).toContain('ApiError')
    expect(errors).toEqual(exported)
  })

  it('the command explains itself', async () => {
    const printed = await run(node, [join('node_modules', '.bin', 'payments-client'), '--help'], inject('bare'))

    expect(printed).toContain('Usage: payments-client')
  })
})

it.each(['msw.mjs', 'msw.cjs'])('the sandbox answers through msw 3 from %s', async (program) => {
  // msw 3 itself asks for Node.js 22.
  const printed = await run(process.execPath, [program], inject('msw3'))

  expect(JSON.parse(printed)).toEqual(told)
})
