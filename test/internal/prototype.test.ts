import { describe, expect, it } from 'vitest'
import { define, pollution, unpolluted } from '../../src/internal/prototype.js'

/** Do some work while these properties are on `Object.prototype`. Nothing is expected before they are gone: that would suffer too. */
function polluted<T>(properties: Record<string, PropertyDescriptor>, work: () => T): T {
  const described = Object.entries(properties).map(([name, property]) => {
    return [name, Object.assign(Object.create(null), { configurable: true, enumerable: true }, property)] as const
  })
  for (const [name, property] of described) Object.defineProperty(Object.prototype, name, property)
  try {
    return work()
  } finally {
    for (const [name] of described) Reflect.deleteProperty(Object.prototype, name)
  }
}

const describedAs = (name: string) => Object.getOwnPropertyDescriptor(Object.prototype, name)

describe('what is on Object.prototype', () => {
  it('is nothing, unless somebody put something there', () => {
    expect(pollution()).toEqual([])
    expect(polluted({ evil: { value: 1 } }, pollution)).toEqual(['evil'])
  })

  it('is away while work is done, and back afterwards as it was', () => {
    const getter = () => 1

    const seen = polluted({ evil: { get: getter }, more: { value: 2, writable: false } }, () => {
      const during = unpolluted(pollution)
      return { during, afterwards: pollution(), evil: describedAs('evil'), more: describedAs('more') }
    })

    expect(seen).toEqual({
      during: [],
      afterwards: ['evil', 'more'],
      evil: { get: getter, set: undefined, configurable: true, enumerable: true },
      more: { value: 2, writable: false, configurable: true, enumerable: true },
    })
  })

  it('is back when the work fails', () => {
    const seen = polluted({ evil: { value: 1 } }, () => {
      try {
        unpolluted(() => {
          throw new Error('failed')
        })
      } catch (error) {
        return { message: (error as Error).message, afterwards: pollution() }
      }
    })

    expect(seen).toEqual({ message: 'failed', afterwards: ['evil'] })
  })

  it('may be what describes a property', () => {
    const evil = { get: { value: () => 'evil' }, value: { value: 'evil' } }

    const seen = polluted(evil, () => [unpolluted(() => 'done'), pollution()])

    expect(seen).toEqual(['done', ['get', 'value']])
  })
})

describe('a property of its own', () => {
  it('is like any other, whatever an object inherits', () => {
    const object: { name?: string } = {}

    polluted({ get: { value: () => 'evil' } }, () => define(object, 'name', 'text'))

    const descriptor = Object.getOwnPropertyDescriptor(object, 'name')
    expect(descriptor).toEqual({ value: 'text', configurable: true, enumerable: true, writable: true })
  })
})
