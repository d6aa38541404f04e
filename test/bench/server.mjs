/**
 * Runs the service for all contenders in a separate process, and sends its port to the parent.
 *
 * It uses `node:http` with keep-alive, and does the same work for every contender. The first argument contains options
 * as JSON:
 *
 *     { "serviceTimeMs": 5, "items": 30000 }
 */
import { createServer } from 'node:http'
import { performance } from 'node:perf_hooks'
import { pageIn, paymentIn } from './fixtures/formats.mjs'

const { serviceTimeMs = 0, items = 100_000 } = JSON.parse(process.argv[2] ?? '{}')
const pageSize = 100

/** The format of the response, by the first segment of the path. */
const formats = { ours: 'ours', v1: 'stripe' }

const payments = built(paymentIn, (encode) => {
  return Array.from({ length: 64 }, (_, index) => Buffer.from(encode(index)))
})

/** All positions have this number of digits, so the server can overwrite the digits in a copy of a template. */
const digits = 12
const marker = `at_${'0'.repeat(digits)}`
const indexesOf = (page) => Array.from({ length: pageSize }, (_, index) => page * pageSize + index)
const pages = built(pageIn, (encode) => {
  return Array.from({ length: 16 }, (_, page) => {
    const template = Buffer.from(JSON.stringify(encode(indexesOf(page), marker)))
    return { template, offset: template.indexOf(marker) + 'at_'.length }
  })
})
const lastPages = built(pageIn, (encode) => Buffer.from(JSON.stringify(encode(indexesOf(16)))))

let responses = 0
const served = { pages: 0, totalMs: 0 }

const server = createServer((request, response) => {
  const arrivedAt = performance.now()
  const format = formats[request.url.slice(1, request.url.indexOf('/', 1))]
  const isList = request.url.includes('limit=')
  const body = isList ? pageAt(format, request.url) : payments[format][responses++ % 64]
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

// Keeps a contender's connections open while other contenders run.
server.keepAliveTimeout = 600_000
server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }))

process.on('message', (message) => {
  if (message === 'cpu') process.send({ cpu: process.cpuUsage() })
  if (message === 'served') {
    process.send({ served: { ...served } })
    served.pages = served.totalMs = 0
  }
})
process.on('disconnect', () => process.exit())

function pageAt(format, url) {
  const position = Number(/=at_(\d+)/.exec(url)?.[1] ?? 0)
  const next = position + pageSize
  if (next >= items) return lastPages[format]
  const { template, offset } = pages[format][(position / pageSize) % 16]
  const page = Buffer.from(template)
  page.write(String(next).padStart(digits, '0'), offset, 'latin1')
  return page
}

/** Calls `respond` after the service time. Polls the clock at the end, because timers can be a millisecond late. */
function afterServiceTime(arrivedAt, respond) {
  if (serviceTimeMs === 0) return respond()
  const wait = () => (performance.now() - arrivedAt >= serviceTimeMs ? respond() : setImmediate(wait))
  setTimeout(wait, serviceTimeMs - 2)
}

function built(encode, build) {
  return Object.fromEntries(Object.entries(encode).map(([name, encodeOne]) => [name, build(encodeOne)]))
}
