// Runs a bundled worker in workerd: `node run-worker.mjs FILE`.
import { readFileSync } from 'node:fs'
import { Miniflare } from 'miniflare'

const worker = new Miniflare({
  modules: true,
  script: readFileSync(process.argv[2], 'utf8'),
  compatibilityDate: '2026-01-01',
  compatibilityFlags: ['nodejs_compat'],
  bindings: Object.fromEntries(Object.entries(process.env).filter(([name]) => /^(PAYMENTS_|DATABASE_URL)/.test(name))),
  port: 0,
})
const { port } = await worker.ready
console.log('listening on', { port: Number(port) })
