import assert from 'node:assert/strict'
import { once } from 'node:events'
import { PassThrough } from 'node:stream'
import { runRecipe } from '../recipe.mjs'
import { apiKey, body, failureOf, recorderUrl } from '../support.mjs'

/** @param name The logger's package. */
export default function start(name) {
  return {
    async lines() {
      const logFile = new PassThrough()
      let written = ''
      logFile.on('data', (chunk) => {
        written += chunk
      })
      const shop = { logFile }
      const page = 'observability.md'
      const retry = await runRecipe(page, `from '${name}'`, { apiKey, baseUrl: `${recorderUrl}/retry`, shop })
      const reset = await runRecipe(page, `from '${name}'`, { apiKey, baseUrl: `${recorderUrl}/reset-always`, shop })

      await retry.client.payments.create(body)
      const { callId } = await failureOf(reset.client.clientSessions.create({ orderId: 'order-1' }))

      while (written.split('\n').length < 3) await once(logFile, 'data')
      const lines = written
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
