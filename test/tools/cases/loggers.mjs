import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { runRecipe } from '../recipe.mjs'
import { apiKey, body, failureOf, recorderUrl } from '../support.mjs'

/** @param name The logger's package. */
export default function start(name) {
  return {
    async lines() {
      process.chdir(mkdtempSync(join(tmpdir(), 'logs-')))
      const run = (path) => {
        const env = { PAYMENTS_API_KEY: apiKey, PAYMENTS_BASE_URL: `${recorderUrl}/${path}` }
        return runRecipe('observability.md', `from '${name}'`, { env })
      }
      const retry = await run('retry')
      const reset = await run('reset-always')

      await retry.client.payments.create(body)
      const { callId } = await failureOf(reset.client.clientSessions.create({ orderId: 'order-1' }))

      const read = () => readFileSync('payments.log', 'utf8')
      while (read().split('\n').length < 3) await setImmediate()
      const lines = read()
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line))
      const facts = lines.map(({ level, component, message, msg }) => [level, component, message ?? msg])
      const [warn, error] = name === 'pino' ? [40, 50] : ['warn', 'error']
      assert.deepEqual(
        facts.map(([level, component]) => [level, component]),
        [
          [warn, 'payments'],
          [error, 'payments'],
        ],
      )
      assert.match(
        facts[0][2],
        /^payments\.create \(POST \/payments\), attempt 1: 503, retrying in \d+ ms \[[0-9a-f-]{36}\]$/,
      )
      assert.match(
        facts[1][2],
        /^clientSessions\.create .*, failed, outcome unknown \(ERR_CONNECTION, 1 attempt, \d+ ms\)/,
      )
      assert.ok(facts[1][2].endsWith(`[${callId}]`))
      const { operation, outcome } = lines[1]
      assert.deepEqual(
        { operation, outcome, callId: lines[1].callId },
        { operation: 'clientSessions.create', outcome: 'unknown', callId },
      )
    },
  }
}
