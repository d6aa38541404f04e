/** @jest-environment jsdom */

test.each(['', '/webhooks', '/schemas', '/sandbox', '/sqlite', '/redis', '/postgres'])(
  'payments-client%s can be imported under jsdom',
  (entry) => {
    expect(typeof TextDecoder).toBe('undefined')
    expect(Object.keys(require(`payments-client${entry}`))).not.toEqual([])
  },
)
