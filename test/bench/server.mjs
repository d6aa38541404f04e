/**
 * The service's side of the measurements: one process of its own, plain `node:http` with keep-alive, the same work for
 * every caller. It is forked, told what to do as JSON in its first argument, and says where it listens.
 *
 *     { "serviceTimeMs": 5, "items": 30000 }
 */
import { createServer } from 'node:http'
import { performance } from 'node:perf_hooks'
import { pageIn, paymentIn } from './fixtures/spellings.mjs'

const { serviceTimeMs = 0, items = 100_000 } = JSON.parse(process.argv[2] ?? '{}')
const pageSize = 100

/** The first part of a path says in whose words to answer. */
const spellings = {
  ours: 'ours',
  v1: 'stripe',
  openai: 'openai',
  v72: 'adyen',
  square: 'square',
  mollie: 'mollie',
  checkout: 'checkout',
}

const payments = built(paymentIn, (spell) => {
  return Array.from({ length: 64 }, (_, index) => Buffer.from(spell(index)))
})

/** A page carries where the next one starts in a fixed number of digits, so that a copy of a template is all it takes. */
const digits = 12
const marker = `at_${'0'.repeat(digits)}`
const indexesOf = (page) => Array.from({ length: pageSize }, (_, index) => page * pageSize + index)
const pages = built(pageIn, (spell) => {
  return Array.from({ length: 16 }, (_, page) => {
    const template = Buffer.from(JSON.stringify(spell(indexesOf(page), marker)))
    return { template, offset: template.indexOf(marker) + 'at_'.length }
  })
})
const lastPages = built(pageIn, (spell) => Buffer.from(JSON.stringify(spell(indexesOf(16)))))

let answered = 0
const served = { pages: 0, totalMs: 0 }

const server = createServer((request, response) => {
  const arrivedAt = performance.now()
  const spelling = spellings[request.url.slice(1, request.url.indexOf('/', 1))]
  const isList = request.url.includes('limit=')
  const body = isList ? pageAt(spelling, request.url) : payments[spelling][answered++ % 64]
  request.resume()
  request.on('end', () => {
    afterServiceTime(arrivedAt, () => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length })
      response.end(body)
      if (isList) {
        served.pages++
        served.totalMs += performance.now() - arrivedAt
      }
    })
  })
})

// A contender that waits for its turn keeps its connections.
server.keepAliveTimeout = 600_000
server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }))

process.on('message', (question) => {
  if (question === 'cpu') process.send({ cpu: process.cpuUsage() })
  if (question === 'served') {
    process.send({ served: { ...served } })
    served.pages = served.totalMs = 0
  }
})
process.on('disconnect', () => process.exit())

function pageAt(spelling, url) {
  const position = Number(/=at_(\d+)/.exec(url)?.[1] ?? 0)
  const next = position + pageSize
  if (next >= items) return lastPages[spelling]
  const { template, offset } = pages[spelling][(position / pageSize) % 16]
  const page = Buffer.from(template)
  page.write(String(next).padStart(digits, '0'), offset, 'latin1')
  return page
}

/** Timers are a millisecond late or more, so the last of it is waited for turn by turn. */
function afterServiceTime(arrivedAt, answer) {
  if (serviceTimeMs === 0) return answer()
  const wait = () => (performance.now() - arrivedAt >= serviceTimeMs ? answer() : setImmediate(wait))
  setTimeout(wait, serviceTimeMs - 2)
}

function built(spell, build) {
  return Object.fromEntries(Object.entries(spell).map(([name, spellOne]) => [name, build(spellOne)]))
}
