import { explore } from 'payments-client/sandbox'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { createShop } from '../../examples/sqlite/shop.js'
import { explorationOf } from '../support/explore-guide.js'
import { dependent, listenInMemory } from './in-process.js'

const budget = Number(process.env['RUNS'] ?? 40)

// NestJS and its adapters print to the console, and listen for signals.
beforeAll(() => {
  process.setMaxListeners(0)
  vi.spyOn(console, 'log').mockImplementation(() => {})
  vi.spyOn(console, 'error').mockImplementation(() => {})
  vi.spyOn(process.stdout, 'write').mockReturnValue(true)
  const restore = listenInMemory()
  return () => {
    restore()
    vi.restoreAllMocks()
  }
})

describe('the server of a framework guide', () => {
  it.each([...dependent])('breaks no rule during an exploration: %s', async (_, startServer) => {
    const { failures } = await explore({ ...explorationOf(createShop, startServer), budget })

    expect(failures.map(({ timeline }) => timeline)).toEqual([])
  })
})
