import { describe, expect, it } from 'vitest'
import { ownFields } from '../../src/transport/own-fields.js'

describe('a copy of its own fields', () => {
  it('has plain objects and lists, however deep, and inherits nothing', () => {
    const given = { a: [{ b: 1 }], c: { d: 'text' } }

    const copy = ownFields(given)

    expect(copy).toEqual(given)
    expect([copy, copy.c, copy.a[0]].map((part) => Object.getPrototypeOf(part))).toEqual([null, null, null])
    expect([copy.a === given.a, copy.c === given.c]).toEqual([false, false])
    expect(Array.isArray(copy.a)).toBe(true)
  })

  it('has fields like any other', () => {
    const descriptor = Object.getOwnPropertyDescriptor(ownFields({ a: 1 }), 'a')

    expect(descriptor).toEqual({ value: 1, configurable: true, enumerable: true, writable: true })
  })

  it('has a field named __proto__, as a field', () => {
    const copy = ownFields(JSON.parse('{"__proto__":{"polluted":true}}'))

    expect(Object.keys(copy)).toEqual(['__proto__'])
    expect(copy).not.toHaveProperty('polluted')
  })

  it('has objects of other kinds as they are', () => {
    const [date, bytes, own] = [new Date(0), new Uint8Array(1), new (class Own {})()]

    const copy = ownFields({ date, bytes, own, nothing: null, undefined })

    expect(copy.date).toBe(date)
    expect(copy.bytes).toBe(bytes)
    expect(copy.own).toBe(own)
    expect(copy.nothing).toBeNull()
    expect(Object.keys(copy)).toEqual(['date', 'bytes', 'own', 'nothing', 'undefined'])
  })

  it('has objects without a prototype, and circles, too', () => {
    const circle: { self?: unknown } = Object.create(null)
    circle.self = circle

    const copy = ownFields(circle)

    expect(copy.self).toBe(copy)
    expect(copy).not.toBe(circle)
  })
})
