import * as diagnostics from 'node:diagnostics_channel'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { Publisher } from '../../../src/core/internal/channels.js'

describe('Publisher.hasSubscribers', () => {
  it.each(['start', 'end', 'asyncStart', 'asyncEnd', 'error'] as const)(
    'detects a subscriber of `%s` on Bun, whose channels lack hasSubscribers',
    (event) => {
      const { start, end, asyncStart, asyncEnd, error } = diagnostics.tracingChannel('payments-client:call')
      const channels = { start, end, asyncStart, asyncEnd, error }
      const bun = vi.spyOn(process, 'getBuiltinModule').mockReturnValue({ tracingChannel: () => channels } as never)
      const publisher = new Publisher('call')
      expect(publisher.hasSubscribers).toBe(false)
      const ignore = () => {}
      channels[event].subscribe(ignore)
      onTestFinished(() => {
        channels[event].unsubscribe(ignore)
        bun.mockRestore()
      })

      expect(publisher.hasSubscribers).toBe(true)
    },
  )
})
