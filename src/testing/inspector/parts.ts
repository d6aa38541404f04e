import type { Endpoint, Source } from '../sandbox/control/endpoint.js'
import type { paging, RowPage } from '../sandbox/control/views.js'
import { absolute, pretty, relative } from './format.js'
import { exact, type Html, html, type Value } from './html.js'

/** A request for a page. */
export interface Visit {
  readonly source: Source
  /** The sandbox's time, in milliseconds since 1970. */
  readonly now: number
  /** The part of the path after the section, or an empty string. */
  readonly id: string
  readonly query: URLSearchParams
  /** The scheme and host of the page's address. */
  readonly origin: string
}

/** Returns the address of a section, or of a resource in the section. */
export function addressOf(section: string, id?: string): string {
  return `/__sandbox/${section}${id === undefined ? '' : `/${encodeURIComponent(id)}`}`
}

const tones = {
  good: ['SETTLED', 'WON'],
  info: ['AUTHORIZED'],
  warn: ['SETTLING', 'PARTIALLY_SETTLED', 'PENDING', 'OPEN'],
  bad: ['LOST', 'DECLINED', 'FAILED'],
}

export const badge = (text: Value, tone = '', title?: string): Html =>
  html`<span class="badge ${tone}" ${title && html`title="${title}"`}>${text}</span>`

export const statusBadge = (status = 'unknown'): Html =>
  badge(status, Object.entries(tones).find(([, statuses]) => statuses.includes(status))?.[0])

export function httpStatus(status: number | undefined, none = 'no response'): Html {
  if (status === undefined) return badge(none, none === 'waiting' ? '' : 'bad')
  return badge(status, status < 300 ? 'good' : status < 400 ? 'warn' : 'bad')
}

/** A time relative to the sandbox's clock, with the absolute time as a tooltip. */
export const time = (at: string | undefined, { now }: Visit): Html =>
  at ? html`<time datetime="${at}" title="${absolute(at)}">${relative(at, now)}</time>` : html`–`

/** An absolute time, followed by the time relative to the sandbox's clock. */
export const longTime = (at: string | undefined, { now }: Visit): Html =>
  at ? html`<time datetime="${at}">${absolute(at)} <span class="muted">(${relative(at, now)})</span></time>` : html`–`

export const heading = (title: Value, aside?: Value): Html => html`<div class="heading"><h1>${title}</h1>${aside}</div>`

export const card = (title: string, ...content: readonly Value[]): Html =>
  html`<section class="card" aria-label="${title}"><h2>${title}</h2>${content}</section>`

export const hint = (text: Value): Html => html`<p class="hint">${text}</p>`

export const back = (section: string): Html => html`<p><a href="${addressOf(section)}">Back to the list</a></p>`

export const columns = (content: Value, aside: Value): Html =>
  html`<div class="columns"><div class="rows">${content}</div><aside>${aside}</aside></div>`

/** Preformatted text. The tab index lets keyboard users scroll it. */
export const pre = (text: string): Html => html`<pre tabindex="0">${text}</pre>`

/** A message about an action, which the script of the page sets. */
export const notice = html`<p class="notice" role="status"></p>`

/** A JSON document or text, with a heading. The button copies strings unchanged, and other values as indented JSON. */
export function code(title: string, body: unknown): Html {
  const text = pretty(body)
  const copied = exact(typeof body === 'string' ? body : text)
  const button = html`${notice}<button type="button" data-copy="${copied}" data-done="Copied">Copy</button>`
  return html`<section class="code" aria-label="${title}"><div class="code-head"><h2>${title}</h2>${text !== '' && button}</div>
${text ? pre(text) : html`<p class="muted">Empty</p>`}</section>`
}

/** A list of names and values. Omits undefined and empty values. */
export const facts = (all: readonly (readonly [name: string, value: Value])[]): Html =>
  html`<dl>${all
    .filter(([, value]) => value !== undefined && value !== '')
    .map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`

/** The second line of a cell on narrow screens, where other columns are hidden. */
export const under = (text: Value): Html => html`<span class="under muted">${text}</span>`

/** A cell that links to a row's details. On narrow screens, it also shows the row's time. */
export const main = (section: string, id: string, text: string, at: string | undefined, visit: Visit): Html =>
  html`<a href="${addressOf(section, id)}">${text}</a>${under(time(at, visit))}`

/** `kind` has classes of the style sheet: `num` aligns numbers, `wide` hides the column on narrow screens. */
type Column<Row> = readonly [title: string, kind: string, cell: (row: Row, visit: Visit) => Value]

export interface List<Row> {
  readonly title: string
  /** The accessible name of the table. @default the title */
  readonly label?: string
  readonly endpoint: Endpoint<typeof paging, RowPage<Row>>
  /** The names of the query parameters that filter the list. */
  readonly filters?: readonly string[]
  keyOf(row: Row): string
  readonly columns: readonly Column<Row>[]
  /** The content of an empty list. */
  empty(visit: Visit): Html
}

/** A page of a list, newest first, with a link to the next page. */
export async function table<Row>(list: List<Row>, visit: Visit): Promise<Html> {
  const { title, label = title, endpoint, filters = [], keyOf, columns } = list
  const values = filters.map((name) => [name, visit.query.get(name)?.trim()]).filter(([, value]) => value)
  const given: Record<string, string> = Object.fromEntries(values)
  const cursor = visit.query.get('cursor') ?? undefined
  const { data, nextCursor } = await endpoint.run(visit.source, { cursor, ...given }, '')
  if (data.length === 0) {
    const noMatch = `No ${title.toLowerCase().replace(/s$/, '')} matches`
    const hint = html`<p><strong>${noMatch}</strong></p><p>Change the search or the status.</p>`
    return html`<div class="empty">${values.length > 0 ? hint : list.empty(visit)}</div>`
  }
  const addressAt = (cursor?: string) => `?${new URLSearchParams({ ...given, ...(cursor && { cursor }) })}`
  return html`<table aria-label="${label}">
<thead><tr>${columns.map(([title, kind]) => html`<th scope="col" class="${kind}">${title}</th>`)}</tr></thead>
<tbody>${data.map(
    (row) => html`<tr id="row-${keyOf(row)}">
${columns.map(([, kind, cell]) => html`<td class="${kind}">${cell(row, visit)}</td>`)}</tr>`,
  )}</tbody></table>
<p>${cursor && html`<a href="${addressAt()}">Newest</a>`} ${nextCursor && html`<a href="${addressAt(nextCursor)}">Older</a>`}</p>`
}
