import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { Cutoff, Deadline, Interrupted } from '../../src/internal/deadline.js'

const forever = () => new Promise<never>(() => {})

/** What cut a piece of work short. */
async function interruption(work: Promise<unknown>): Promise<unknown> {
  const error = await work.then(
    () => expect.fail('the work was done'),
    (reason) => reason,
  )
  expect(error).toBeInstanceOf(Interrupted)
  return (error as Interrupted).interruption
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
})

afterEach(() => {
  expect(vi.getTimerCount()).toBe(0)
  vi.useRealTimers()
})

describe('a deadline', () => {
  it('says how much is left', () => {
    const deadline = new Deadline(1_000, undefined)

    vi.advanceTimersByTime(400)

    expect(deadline.remaining).toBe(600)
  })

  it('is over when nothing is left', () => {
    const deadline = new Deadline(1_000, undefined)

    vi.advanceTimersByTime(999)
    expect(() => deadline.throwIfOver()).not.toThrow()
    vi.advanceTimersByTime(1)

    expect(() => deadline.throwIfOver()).toThrow(Interrupted)
  })

  it('brings what the work brings', async () => {
    const deadline = new Deadline(1_000, new AbortController().signal)

    await expect(deadline.run(async () => 'done')).resolves.toBe('done')
    await expect(deadline.run(() => Promise.reject(new Error('failed')))).rejects.toThrow('failed')
  })

  it('ends work when the whole time is over', async () => {
    const ended = interruption(new Deadline(1_000, undefined).run(forever))

    await vi.advanceTimersByTimeAsync(1_000)

    expect(await ended).toEqual({ kind: 'timeout', timeoutMs: 1_000 })
  })

  it.each([
    [400, 400],
    [1_000, 1_000],
    [2_000, 1_000],
  ])('ends work of at most %i ms after %i ms, and says which limit it was', async (limitMs, expected) => {
    let ended: unknown
    interruption(new Deadline(1_000, undefined).run(forever, limitMs)).then((cause) => {
      ended = cause
    })

    await vi.advanceTimersByTimeAsync(expected - 1)
    expect(ended).toBeUndefined()
    await vi.advanceTimersByTimeAsync(1)

    expect(ended).toEqual({ kind: 'timeout', timeoutMs: expected })
  })

  it('says that the limit of the work ran out where both run out at once', async () => {
    const deadline = new Deadline(2_000, undefined)
    await vi.advanceTimersByTimeAsync(1_000)

    const ended = interruption(deadline.run(forever, 1_000))
    await vi.advanceTimersByTimeAsync(1_000)

    expect(await ended).toEqual({ kind: 'timeout', timeoutMs: 1_000 })
  })

  it('does not begin work when nothing is left', async () => {
    const deadline = new Deadline(1_000, undefined)
    const work = vi.fn(forever)
    vi.advanceTimersByTime(1_000)

    expect(await interruption(deadline.run(work))).toEqual({ kind: 'timeout', timeoutMs: 1_000 })
    expect(work).not.toHaveBeenCalled()
  })

  it('does not begin work for a caller who has left', async () => {
    const work = vi.fn(forever)

    const ended = interruption(new Deadline(1_000, AbortSignal.abort('left')).run(work))

    expect(await ended).toEqual({ kind: 'abort', reason: 'left' })
    expect(work).not.toHaveBeenCalled()
  })

  it('ends work when the caller leaves, and tells the work', async () => {
    const leaving = new AbortController()
    const told = vi.fn()

    const ended = interruption(
      new Deadline(1_000, leaving.signal).run((cutoff) => {
        cutoff.listen(told)
        return forever()
      }),
    )
    leaving.abort('left')

    expect(await ended).toEqual({ kind: 'abort', reason: 'left' })
    expect(told).toHaveBeenCalledExactlyOnceWith(expect.any(Interrupted))
  })

  it('listens to the caller while work is done, and no longer', async () => {
    const { signal } = new AbortController()
    const [add, remove] = [vi.spyOn(signal, 'addEventListener'), vi.spyOn(signal, 'removeEventListener')]
    const deadline = new Deadline(1_000, signal)

    await deadline.run(async () => 'done')
    await deadline.run(() => Promise.reject(new Error())).catch(() => {})

    expect(add).toHaveBeenCalledTimes(2)
    expect(remove.mock.calls.map(([type, listener]) => [type, listener])).toEqual(add.mock.calls)
  })

  it('waits as long as it is told', async () => {
    let over = false
    const waiting = new Deadline(1_000, undefined).sleep(300).then(() => {
      over = true
    })

    await vi.advanceTimersByTimeAsync(299)
    expect(over).toBe(false)
    await vi.advanceTimersByTimeAsync(1)

    await waiting
    expect(over).toBe(true)
  })

  it('waits no longer than there is time, nor than the caller stays', async () => {
    const leaving = new AbortController()
    const tooLong = interruption(new Deadline(1_000, undefined).sleep(2_000))
    const left = interruption(new Deadline(1_000, leaving.signal).sleep(500))

    leaving.abort('left')
    await vi.advanceTimersByTimeAsync(1_000)

    expect(await tooLong).toEqual({ kind: 'timeout', timeoutMs: 1_000 })
    expect(await left).toEqual({ kind: 'abort', reason: 'left' })
  })
})

describe('a cutoff', () => {
  const cause = new Interrupted({ kind: 'abort', reason: 'left' })

  it('tells everybody who listens, once, and at once who comes late', () => {
    const cutoff = new Cutoff()
    const [early, late] = [vi.fn(), vi.fn()]
    cutoff.listen(early)

    cutoff.pass(cause)
    cutoff.pass(cause)
    cutoff.listen(late)

    expect(early.mock.calls).toEqual([[cause]])
    expect(late.mock.calls).toEqual([[cause]])
  })

  it('throws what it was passed for, and nothing before', () => {
    const cutoff = new Cutoff()

    expect(() => cutoff.throwIfPassed()).not.toThrow()
    cutoff.pass(cause)

    expect(() => cutoff.throwIfPassed()).toThrow(cause)
  })

  it('is a signal for those who need one', () => {
    const cutoff = new Cutoff()
    const early = cutoff.toSignal()

    expect(early.aborted).toBe(false)
    cutoff.pass(cause)

    expect([early.aborted, early.reason]).toEqual([true, cause])
    expect([cutoff.toSignal().aborted, cutoff.toSignal().reason]).toEqual([true, cause])
  })

  it('says in its message which it was', () => {
    expect(cause.message).toBe('abort')
    expect(new Interrupted({ kind: 'timeout', timeoutMs: 1 }).message).toBe('timeout')
  })
})
