import { describe, expect, it } from 'vitest'
import { bothWays, currentSecret, foreignSecret, hmac, previousSecret, verdict } from './fixtures.js'

const body = '{"message":"rotated"}'
const secrets = { current: currentSecret, previous: previousSecret, foreign: foreignSecret }
type Name = keyof typeof secrets

const signers: Name[] = ['current', 'previous', 'foreign']
const configurations: Name[][] = [['current'], ['previous'], ['current', 'previous'], ['previous', 'current']]

/** Every combination of two signatures, either of which may be missing, with the configured secrets. */
const table = [undefined, ...signers].flatMap((primary) =>
  [undefined, ...signers].flatMap((secondary) =>
    configurations.map((configured) => ({ primary, secondary, configured })),
  ),
)

describe.each(bothWays)('the function $how', ({ check }) => {
  it.each(table)('accepts the signatures $primary and $secondary only if one is in $configured', async (row) => {
    const { primary, secondary, configured } = row
    const headers = {
      'X-Signature-Primary': primary && hmac(body, secrets[primary]),
      'X-Signature-Secondary': secondary && hmac(body, secrets[secondary]),
    }
    const given = configured.map((name) => secrets[name])

    const result = await verdict(() => check(body, headers, given))

    const signatures = [primary, secondary].filter((name) => name !== undefined)
    const matches = signatures.some((name) => configured.includes(name))
    expect(result).toBe(matches ? 'accepted' : signatures.length > 0 ? 'no-match' : 'missing-signature')
  })
})
