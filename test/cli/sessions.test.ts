import { describe, expect, it } from 'vitest'
import { startService } from './support.js'

const startTerminal = (files: Record<string, string> = {}) => startService([], { files })

describe('payments-client sessions create', () => {
  it('creates a session from options, and prints its fields', async () => {
    const { output, run } = await startTerminal()

    const code = await run('sessions', 'create', '--order-id=order-17', '--currency-code=EUR', '--amount=5000')

    expect(code).toBe(0)
    expect(output).toContainEqual(expect.stringMatching(/^clientToken +\S+$/))
    expect(output).toContainEqual(expect.stringMatching(/^amount +5000$/))
  })

  it('creates a session from a file, and prints it as JSON with --json', async () => {
    const body = { orderId: 'order-17', metadata: { shop: 'north' }, customerId: 'customer-1' }
    const { output, run } = await startTerminal({ '-': JSON.stringify(body) })

    const code = await run('sessions', 'create', '--json', '--data', '-', '--order-id', 'order-18')

    expect(code).toBe(0)
    expect(JSON.parse(output.join())).toMatchObject({ ...body, orderId: 'order-18', clientToken: expect.any(String) })
  })

  it('creates a session with API version 2.1', async () => {
    const lineItems = [{ itemId: 'a', amount: 500, quantity: 2 }]
    const { output, run } = await startTerminal({ body: JSON.stringify({ lineItems }) })

    expect(await run('sessions', 'create', '--json', '--data', 'body', '--api-version', '2.1')).toBe(0)
    expect(JSON.parse(output.join())).toMatchObject({ lineItems })
  })

  it.each([
    [['--data', 'body'], '[1]', '--data: the file must contain a JSON object, not an array'],
    [['--data', 'body'], '{', '--data: the file is not valid JSON'],
    [['--data', 'body'], '{"orderid":"1"}', 'orderid is not a field of this request: did you mean "orderId"?'],
    [['--amount', '-1'], '{}', 'It must be an integer of at least 0'],
  ])('rejects the arguments %j if the file contains %s', async (args, body, message) => {
    const { notes, run } = await startTerminal({ body })

    expect(await run('sessions', 'create', ...args)).toBe(2)
    expect(notes.join('\n')).toContain(message)
  })
})
