import { getEventListeners } from 'node:events'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { pause } from '../../src/sandbox/pause.js'

describe('pause', () => {
  beforeEach(() => {
    vi.useFakeTimers()
  })

  afterEach(() => {
    vi.useRealTimers()
  })

  it('lasts as long as it is told to, and lets go of the signal', async () => {
    const { signal } = new AbortController()
    const ended = vi.fn()
    const over = pause(1000, signal).then(ended)

    await vi.advanceTimersByTimeAsync(999)
    const before = ended.mock.calls.length
    await vi.advanceTimersByTimeAsync(1)

    expect(before).toBe(0)
    await over
    expect(getEventListeners(signal, 'abort')).toEqual([])
  })

  it('ends when the signal says so, and leaves no timer behind', async () => {
    const interruption = new AbortController()
    const over = pause(60_000, interruption.signal)

    interruption.abort()

    await over
    expect(vi.getTimerCount()).toBe(0)
    expect(getEventListeners(interruption.signal, 'abort')).toEqual([])
  })

  it('does not begin when the signal has said so before', async () => {
    const over = pause(60_000, AbortSignal.abort())

    expect(vi.getTimerCount()).toBe(0)
    await over
  })

  it('needs no signal', async () => {
    const over = pause(1000)

    await vi.advanceTimersByTimeAsync(1000)

    await over
  })
})
