import type { ComponentChildren, JSX } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { Pages } from '../pages.js'
import { LoadError } from './parts.js'

/** The height of a row in pixels, as in the style sheet. */
const rowHeight = 44

/** The number of rows to render above and below the visible ones. */
const margin = 12

export interface Column<T> {
  title: string
  /** Classes of the cells in the style sheet. `num` aligns numbers, `wide` hides the column on narrow screens. */
  kind?: string
  cell(row: T): ComponentChildren
}

export interface RowsProps<T> {
  label: string
  columns: readonly Column<T>[]
  pages: Pages<T>
  /** The rows to show. @default all loaded rows */
  rows?: readonly T[]
  empty: JSX.Element
}

/** A table that renders only the rows near the visible part of the page. Loads more rows near the end of the list. */
export function Rows<T>({ label, columns, pages, rows = pages.rows, empty }: RowsProps<T>) {
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

  const needsMore = range.last >= rows.length && !pages.isComplete
  useEffect(() => {
    if (needsMore) void pages.loadMore()
  })

  if (pages.error && rows.length === 0) return <LoadError error={pages.error} />
  if (rows.length === 0) return pages.isComplete ? empty : <p class="muted">Loading…</p>
  const first = Math.min(range.first, rows.length)
  const last = Math.min(range.last, rows.length)
  return (
    <>
      <table aria-label={label} aria-rowcount={pages.isComplete ? rows.length + 1 : -1}>
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
            <tr key={pages.options.keyOf(row)} aria-rowindex={first + index + 2}>
              {columns.map(({ title, kind, cell }) => (
                <td key={title} class={kind}>
                  {cell(row)}
                </td>
              ))}
            </tr>
          ))}
          <Space count={rows.length - last} />
        </tbody>
      </table>
      {pages.error && <LoadError error={pages.error} />}
      <p class="muted count">
        {rows.length.toLocaleString('en')} {pages.isComplete ? 'in total' : 'loaded'}
      </p>
    </>
  )
}

function Space({ count }: { count: number }) {
  // biome-ignore lint/a11y/noAriaHiddenOnFocusable: a table row is not focusable.
  return count > 0 ? <tr class="space" aria-hidden="true" style={{ height: `${count * rowHeight}px` }} /> : null
}
