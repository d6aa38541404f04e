import { DatabaseSync } from 'node:sqlite'
import { explore } from 'payments-client/sandbox'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { explorationOf, loadShop } from '../support/guide-shop.js'
import { dependent, listenInMemory } from './in-process.js'

const budget = Number(process.env['RUNS'] ?? 4)

// Hides the output of NestJS and its adapters, and allows the many signal listeners that they add.
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
  describe.each([...dependent])('%s', (_, startServer) => {
    // Loads the modules of the framework, because `explore` reports a start that waits for a slow import.
    beforeAll(async () => {
      const options = { apiKey: 'key', baseUrl: 'https://payments.test', webhookSecret: 'secret' }
      await startServer(await loadShop(new DatabaseSync(':memory:'), options))
    })

    it.each(['card', 'requires3ds'] as const)(
      'passes explore() without a failure if the customer pays with the token %s',
      async (token) => {
        const { failures } = await explore({ ...explorationOf(startServer, token), budget })

        expect(failures.map(({ timeline }) => timeline)).toEqual([])
      },
    )
  })
})
