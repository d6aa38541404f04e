/**
 * Reads a list of 1,000 pages with 100 items each. Prints how many pages and response strings stay in memory, and how
 * many promises an item needs.
 */
import { createHook } from 'node:async_hooks'
import { getHeapSnapshot, getHeapSpaceStatistics } from 'node:v8'
import { type FetchResponse, PaymentsClient } from 'payments-client'

const pages = 1_000
const itemsPerPage = 100
const noteLength = 1_000
const pageBytes = itemsPerPage * noteLength
const items = pages * itemsPerPage
const warmUpItems = items / 5

let page = 0
const client = new PaymentsClient({ apiKey: 'key-1', baseUrl: 'https://payments.test', fetch: async () => sendPage() })

function sendPage(): FetchResponse {
  page++
  const data = Array.from({ length: itemsPerPage }, (_, at) => ({
    id: `pay_${page}_${at}`,
    metadata: { note: `${page} ${at}`.padEnd(noteLength) },
  }))
  const unread = [JSON.stringify({ data, nextCursor: page < pages ? `cursor-${page}` : undefined })]
  // Keeps no reference to the string, so if it stays in memory, the client has caused this.
  const response = { status: 200, headers: new Headers(), text: async () => unread.pop() }
  return response as Partial<FetchResponse> as FetchResponse
}

let promises = 0
const hook = createHook({
  init(_id, type) {
    if (type === 'PROMISE') promises++
  },
})
let read = 0
let oldBytesBefore = 0
for await (const _ of client.payments.list({ limit: itemsPerPage })) {
  read++
  // Removes only young objects. An object that survives this twice stays in memory until a full garbage collection.
  if (read % (20 * itemsPerPage) === 0) globalThis.gc?.({ type: 'minor' })
  if (read === warmUpItems) {
    globalThis.gc?.()
    oldBytesBefore = oldBytes()
    hook.enable()
  }
  if (read === items) {
    hook.disable()
    const promisesPerItem = promises / (items - warmUpItems)
    const pagesUntilFullCollection = Math.round((oldBytes() - oldBytesBefore) / pageBytes)
    console.log(JSON.stringify({ promisesPerItem, pagesUntilFullCollection, ...(await countReachable()) }))
  }
}

/** Returns the size of the heap spaces from which only a full garbage collection removes objects. */
function oldBytes(): number {
  const spaces = getHeapSpaceStatistics().filter(({ space_name }) => /^(old|large_object)_space$/.test(space_name))
  return spaces.reduce((sum, { space_used_size }) => sum + space_used_size, 0)
}

/** Counts the pages and the response strings that remain after a full garbage collection. */
async function countReachable(): Promise<{ pages: number; responses: number }> {
  let json = ''
  for await (const chunk of getHeapSnapshot()) json += chunk
  const { snapshot, nodes, strings } = JSON.parse(json)
  const { node_fields: fields, node_types: types } = snapshot.meta
  const nameOf = (at: number): string => strings[nodes[at + fields.indexOf('name')]]
  const counts = { pages: 0, responses: 0 }
  for (let at = 0; at < nodes.length; at += fields.length) {
    const type = types[0][nodes[at + fields.indexOf('type')]]
    if (type === 'object' && nameOf(at) === 'Page') counts.pages++
    const isLong = nodes[at + fields.indexOf('self_size')] > pageBytes
    if (type === 'string' && isLong && nameOf(at).startsWith('{"data":')) counts.responses++
  }
  return counts
}
