import { describe, expect, it } from 'vitest'
import { Cutoff, Interrupted } from '../../src/internal/deadline.js'
import { Slots } from '../../src/transport/limits.js'

describe('slots', () => {
  it('are as many as there are, and free again when given back', () => {
    const slots = new Slots(2)

    expect([slots.takeFree(), slots.takeFree(), slots.takeFree()]).toEqual([true, true, false])
    slots.release()

    expect([slots.takeFree(), slots.takeFree()]).toEqual([true, false])
  })

  it('go to who waits longest', async () => {
    const slots = new Slots(1)
    slots.takeFree()
    const entered: string[] = []
    const waiting = ['first', 'second'].map((name) => slots.wait(new Cutoff()).then(() => entered.push(name)))

    slots.release()
    await waiting[0]
    expect(entered).toEqual(['first'])
    expect(slots.takeFree()).toBe(false)
    slots.release()
    await waiting[1]

    expect(entered).toEqual(['first', 'second'])
    slots.release()
    expect([slots.takeFree(), slots.takeFree()]).toEqual([true, false])
  })

  it('are not kept for who no longer waits', async () => {
    const slots = new Slots(1)
    slots.takeFree()
    const cutoff = new Cutoff()
    const tooLate = new Interrupted({ kind: 'timeout', timeoutMs: 1_000 })
    const waiting = slots.wait(cutoff)

    cutoff.pass(tooLate)

    await expect(waiting).rejects.toBe(tooLate)
    slots.release()
    expect(slots.takeFree()).toBe(true)
  })
})
