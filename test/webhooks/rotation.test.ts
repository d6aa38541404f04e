import { describe, expect, it } from 'vitest'
import { bothWays, currentSecret, foreignSecret, hmac, previousSecret, verdict } from './fixtures.js'

const body = '{"message":"rotated"}'
const secrets = { current: currentSecret, previous: previousSecret, foreign: foreignSecret }
type Name = keyof typeof secrets

/** Secrets of the primary and the secondary signature, and the configured secrets in both orders. */
const table: [primary: Name, secondary: Name, configured: Name[], expected: 'accepted' | 'no-match'][] = [
  ['current', 'previous', ['current'], 'accepted'],
  ['current', 'previous', ['previous'], 'accepted'],
  ['current', 'previous', ['current', 'previous'], 'accepted'],
  ['current', 'previous', ['previous', 'current'], 'accepted'],
  ['previous', 'current', ['current'], 'accepted'],
  ['previous', 'current', ['previous'], 'accepted'],
  ['previous', 'current', ['current', 'previous'], 'accepted'],
  ['previous', 'current', ['previous', 'current'], 'accepted'],
  ['current', 'current', ['current'], 'accepted'],
  ['current', 'current', ['previous'], 'no-match'],
  ['current', 'current', ['current', 'previous'], 'accepted'],
  ['current', 'current', ['previous', 'current'], 'accepted'],
  ['previous', 'previous', ['current'], 'no-match'],
  ['previous', 'previous', ['previous'], 'accepted'],
  ['previous', 'previous', ['current', 'previous'], 'accepted'],
  ['previous', 'previous', ['previous', 'current'], 'accepted'],
]

describe.each(bothWays)('$how during a rotation', ({ check }) => {
  const verdictOn = (headers: Record<string, string>, configured: Name[]) =>
    verdict(() =>
      check(
        body,
        headers,
        configured.map((name) => secrets[name]),
      ),
    )

  it.each(table)('W07 signed with %s and %s, configured %j: %s', async (primary, secondary, configured, expected) => {
    const headers = {
      'X-Signature-Primary': hmac(body, secrets[primary]),
      'X-Signature-Secondary': hmac(body, secrets[secondary]),
    }

    const result = await verdictOn(headers, configured)

    expect(result).toBe(expected)
  })

  it.each(['X-Signature-Primary', 'X-Signature-Secondary'])('W07 accepts %s alone', async (header) => {
    const accepted = await Promise.all([
      verdictOn({ [header]: hmac(body, currentSecret) }, ['current']),
      verdictOn({ [header]: hmac(body, currentSecret) }, ['current', 'previous']),
      verdictOn({ [header]: hmac(body, previousSecret) }, ['current', 'previous']),
    ])
    const refused = await Promise.all([
      verdictOn({ [header]: hmac(body, currentSecret) }, ['previous']),
      verdictOn({ [header]: hmac(body, foreignSecret) }, ['current', 'previous']),
    ])

    expect(accepted).toEqual(['accepted', 'accepted', 'accepted'])
    expect(refused).toEqual(['no-match', 'no-match'])
  })

  it('W07 ignores a foreign signature beside a valid one', async () => {
    const headers = (primary: Name, secondary: Name) => ({
      'X-Signature-Primary': hmac(body, secrets[primary]),
      'X-Signature-Secondary': hmac(body, secrets[secondary]),
    })

    const results = [
      await verdictOn(headers('foreign', 'current'), ['current']),
      await verdictOn(headers('current', 'foreign'), ['current']),
      await verdictOn(headers('foreign', 'foreign'), ['current', 'previous']),
    ]

    expect(results).toEqual(['accepted', 'accepted', 'no-match'])
  })
})
