import { creation } from '../fixtures/creation.mjs'
import { headers, headersWithBody } from './headers.mjs'

export function open({ origin }) {
  const url = `${origin}/ours/payments`
  return {
    create: async (index) => {
      const body = JSON.stringify(creation(index))
      return (await read(fetch(url, { method: 'POST', headers: headersWithBody(), body }))).amount
    },
    read: async (index) => (await read(fetch(`${url}/pay_${index}`, { headers: headers() }))).amount,
    list: () => rows(`${url}?limit=100`),
  }
}

async function read(responding) {
  const response = await responding
  if (!response.ok) throw new Error(`status ${response.status}`)
  return response.json()
}

async function* rows(url) {
  let cursor = ''
  do {
    const page = await read(fetch(url + cursor, { headers: headers() }))
    yield* page.data
    cursor = page.nextCursor && `&cursor=${page.nextCursor}`
  } while (cursor)
}
