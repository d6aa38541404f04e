import assert from 'node:assert'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { deduplicationKey, diagnose, sign, signAsync, verify, verifyAsync } from '../../src/webhooks/index.js'
import { aStatusEvent, currentSecret, errorOf, signed } from './fixtures.js'

const body = JSON.stringify(aStatusEvent())

afterEach(() => {
  vi.unstubAllGlobals()
})

describe('the webhook functions', () => {
  it.each([
    ['no process', undefined],
    ['a process without getBuiltinModule', { env: {} }],
    ['no node:crypto', { getBuiltinModule: () => undefined }],
    ['a getBuiltinModule that throws', { getBuiltinModule: () => assert.fail('unsupported') }],
  ])('recommends verifyAsync and signAsync in a runtime with %s', async (_, process) => {
    vi.stubGlobal('process', process)

    const errors = [
      await errorOf(() => verify(body, signed(body), currentSecret)),
      await errorOf(() => sign(body, currentSecret)),
    ]

    for (const error of errors) {
      expect(error.code).toBe('ERR_CONFIGURATION')
      expect(error.message).toMatch(/no node:crypto: use verifyAsync and signAsync/)
    }
    expect(diagnose(body, signed(body), currentSecret)).toMatchObject({ verified: false, code: 'configuration' })
    await expect(verifyAsync(body, signed(body), currentSecret)).resolves.toEqual(aStatusEvent())
    await expect(signAsync(body, currentSecret)).resolves.toEqual(signed(body))
  })

  it.each([
    ['no crypto', undefined],
    ['crypto but no crypto.subtle, as on pages without HTTPS', {}],
  ])('reports missing Web Crypto in a runtime with %s', async (_, crypto) => {
    const headers = signed(body)
    vi.stubGlobal('crypto', crypto)

    const errors = [
      await errorOf(() => verifyAsync(body, headers, currentSecret)),
      await errorOf(() => signAsync(body, currentSecret)),
      await errorOf(() => deduplicationKey(body)),
    ]

    for (const error of errors) {
      expect(error.code).toBe('ERR_CONFIGURATION')
      expect(error.message).toMatch(/no Web Crypto/)
    }
    expect(verify(body, headers, currentSecret)).toEqual(aStatusEvent())
  })

  it('verifies signatures with Web Crypto in a runtime without Buffer and process', async () => {
    const headers = signed(body)
    vi.stubGlobal('Buffer', undefined)
    vi.stubGlobal('process', undefined)

    const event = await verifyAsync(body, headers, currentSecret)

    expect(event.eventType).toBe('PAYMENT.STATUS')
  })
})
