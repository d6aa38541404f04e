import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

describe('webhooks, digests', () => {
  it('W11 nothing but signature.ts makes or compares digests', () => {
    const folder = new URL('../../src/webhooks/', import.meta.url)
    const sources = readdirSync(folder).map((name) => ({ name, text: readFileSync(new URL(name, folder), 'utf8') }))

    const touching = sources.filter(({ text }) => /createHmac|timingSafeEqual|subtle\.(sign|verify)/.test(text))
    const { text } = sources.find(({ name }) => name === 'signature.ts') ?? { text: '' }

    expect(touching.map(({ name }) => name)).toEqual(['signature.ts'])
    expect(text).toContain('agreed = timingSafeEqual(expected, signature) || agreed')
    expect(text).not.toMatch(/expected\s*[!=]==?|[!=]==?\s*expected|\.equals\(|\bcompare\(/)
  })
})
