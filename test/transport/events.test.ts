import { describe, expect, it, vi } from 'vitest'
import type { Issue } from '../../src/internal/issues.js'
import { resolveSettings } from '../../src/settings.js'
import { responseInvalid } from '../../src/transport/events.js'

const get = { name: 'payments.get', method: 'GET', path: '/payments/:id' }

/** An observer that is told of issues, and what the hook hears of them. */
function anObserver() {
  const onResponseIssue = vi.fn()
  const settings = resolveSettings({ apiKey: 'key-1', baseUrl: 'https://payments.test', hooks: { onResponseIssue } })
  return {
    tell: (...issues: Issue[]) =>
      responseInvalid(
        { call: { settings, request: { operation: get }, identity: { settings } }, number: 1 } as never,
        issues,
      ),
    heard: () => onResponseIssue.mock.calls.map(([{ issue }]) => issue.path.join('.')),
  }
}

const at = (...path: (string | number)[]): Issue => ({ path, message: 'is odd' })

describe('issues of answers', () => {
  it('are told once, wherever in a list they are', () => {
    const { tell, heard } = anObserver()

    tell(at('lineItems', 0, 'amount'), at('lineItems', 1, 'amount'))
    tell(at('lineItems', 7, 'amount'))

    expect(heard()).toEqual(['lineItems.0.amount'])
  })

  it('are told each by field, place and message', () => {
    const { tell, heard } = anObserver()

    tell(at('amount'), at('fee'), at('order', 'fee'), at('orderfee'), { ...at('amount'), message: 'is too large' })

    expect(heard()).toEqual(['amount', 'fee', 'order.fee', 'orderfee', 'amount'])
  })

  it('are told a thousand times at most', () => {
    const { tell, heard } = anObserver()

    for (let index = 0; index < 1_001; index++) tell(at(`field-${index}`))

    expect(heard()).toHaveLength(1_000)
  })
})
