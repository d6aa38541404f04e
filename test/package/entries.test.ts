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
