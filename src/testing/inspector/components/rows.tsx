import type { ComponentChildren, JSX } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { ListPath, Row } from '../api.js'
import { usePages } from '../hooks.js'
import { Empty, Heading, LoadError } from './parts.js'

/** The height of a row in pixels, as in the style sheet. */
const rowHeight = 44

/** The number of rows to render above and below the visible rows. */
const margin = 12

/** A class in the style sheet. `num` aligns numbers, `wide` hides the column on narrow screens. */
type Kind = 'main' | 'flexible' | 'num' | 'status' | 'event' | 'time' | 'end' | 'wide' | 'extra'

export interface Column<T> {
  title: string
  kind?: Kind | `${Kind} ${Kind}` | `${Kind} ${Kind} ${Kind}`
  cell(row: T): ComponentChildren
  /** The address of the row's details. */
  href?(row: T): string
  /** The second line of the cell on narrow screens, where other columns are hidden. */
  under?(row: T): ComponentChildren
}

interface ListView<P extends ListPath> {
  title: string
  /** The accessible name of the table. @default the title */
  label?: string
  path: P
  keyOf(row: Row<P>): string
  columns: readonly Column<Row<P>>[]
  /** The heading and the text of an empty list. */
  empty: readonly [title: string, text: ComponentChildren]
  /** A link beside the heading. */
  link?: JSX.Element
  /** The forms beside the list. */
  aside?: ComponentChildren
  /** Elements below the list. */
  below?: ComponentChildren
}

type Filters = Record<string, string>

/** Creates the view of a list. The view takes filters as properties, and shows its children above the list. */
export function listView<P extends ListPath>({ link, aside, below, ...list }: ListView<P>) {
  return ({ filters = {}, children }: { filters?: Filters; children?: ComponentChildren }) => {
    const rows = <Rows key={JSON.stringify(filters)} filters={filters} {...list} />
    return (
      <>
        <Heading aside={link}>{list.title}</Heading>
        {children}
        {aside ? (
          <div class="columns">
            <div class="main-column">
              {rows}
              {below}
            </div>
            <aside>{aside}</aside>
          </div>
        ) : (
          rows
        )}
      </>
    )
  }
}

/** A table that renders only the rows near the visible part of the page, and loads no rows below them. */
function Rows<P extends ListPath>(props: ListView<P> & { filters: Filters }) {
  const { title, label = title, path, keyOf, columns, empty, filters } = props
  const { rows, isComplete, error, require } = usePages(path, filters)
  const body = useRef<HTMLTableSectionElement>(null)
  const [range, setRange] = useState({ first: 0, last: 60 })

  useLayoutEffect(() => {
    const measure = () => {
      const top = body.current?.getBoundingClientRect().top ?? 0
      const first = Math.max(0, Math.floor(-top / rowHeight) - margin)
      const last = Math.ceil((innerHeight - top) / rowHeight) + margin
      setRange((old) => (old.first === first && old.last === last ? old : { first, last }))
    }
    measure()
    addEventListener('scroll', measure, { passive: true })
    addEventListener('resize', measure)
    return () => {
      removeEventListener('scroll', measure)
      removeEventListener('resize', measure)
    }
  }, [rows.length === 0])

  useEffect(() => require(range.last + 1))

  if (error && rows.length === 0) return <LoadError error={error} />
  if (rows.length === 0 && !isComplete) return <p class="muted">Loading…</p>
  if (rows.length === 0) {
    return Object.values(filters).some(Boolean) ? (
      <Empty title={`No ${title.toLowerCase().replace(/s$/, '')} matches`}>
        <p>Change the search or the status.</p>
      </Empty>
    ) : (
      <Empty title={empty[0]}>{empty[1]}</Empty>
    )
  }
  const first = Math.min(range.first, rows.length)
  const last = Math.min(range.last, rows.length)
  return (
    <>
      <table aria-label={label} aria-rowcount={isComplete ? rows.length + 1 : -1}>
        <thead>
          <tr>
            {columns.map(({ title, kind }) => (
              <th key={title} class={kind} scope="col">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody ref={body}>
          <Space count={first} />
          {rows.slice(first, last).map((row, index) => (
            <tr key={keyOf(row)} aria-rowindex={first + index + 2}>
              {columns.map((column) => (
                <td key={column.title} class={column.kind}>
                  <Cell row={row} {...column} />
                </td>
              ))}
            </tr>
          ))}
          <Space count={rows.length - last} />
        </tbody>
      </table>
      {error && <LoadError error={error} />}
      <p class="muted count">
        {rows.length.toLocaleString('en')} {isComplete ? 'in total' : 'loaded'}
      </p>
    </>
  )
}

function Cell<T>({ row, cell, href, under }: Column<T> & { row: T }) {
  return (
    <>
      {href ? (
        <a class="row-link" href={href(row)}>
          {cell(row)}
        </a>
      ) : (
        cell(row)
      )}
      {under && <span class="under muted">{under(row)}</span>}
    </>
  )
}

function Space({ count }: { count: number }) {
  // biome-ignore lint/a11y/noAriaHiddenOnFocusable: a table row is not focusable.
  return count > 0 ? <tr class="space" aria-hidden="true" style={{ height: `${count * rowHeight}px` }} /> : null
}
