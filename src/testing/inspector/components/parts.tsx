import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type { ApiError } from '../api.js'
import { pretty } from '../format/text.js'
import { absolute, relative } from '../format/time.js'
import { type Notice, useNow } from '../hooks.js'
import { linkTo, type Section } from '../routes.js'

const tones: Readonly<Record<string, string>> = {
  SETTLED: 'good',
  AUTHORIZED: 'info',
  SETTLING: 'warn',
  PARTIALLY_SETTLED: 'warn',
  PENDING: 'warn',
  OPEN: 'warn',
  WON: 'good',
  LOST: 'bad',
  DECLINED: 'bad',
  FAILED: 'bad',
}

export function Status({ value = 'unknown' }: { value?: string }) {
  return <span class={`badge ${tones[value] ?? ''}`}>{value}</span>
}

export function HttpStatus({ status, none = 'no response' }: { status?: number; none?: string }) {
  const tone =
    status === undefined ? (none === 'waiting' ? '' : 'bad') : status < 300 ? 'good' : status < 400 ? 'warn' : 'bad'
  return <span class={`badge ${tone}`}>{status ?? none}</span>
}

/** A time relative to the sandbox's clock, with the absolute time as a tooltip. With `isLong`, shows both. */
export function Time({ at, isLong }: { at?: string; isLong?: boolean }) {
  const now = useNow()
  if (!at) return <>–</>
  return isLong ? (
    <time dateTime={at}>
      {absolute(at)} <span class="muted">({relative(at, now)})</span>
    </time>
  ) : (
    <time dateTime={at} title={absolute(at)}>
      {relative(at, now)}
    </time>
  )
}

/** The heading of a view. It receives the focus when the view changes. */
export function Heading({ children, aside }: { children: ComponentChildren; aside?: ComponentChildren }) {
  return (
    <div class="heading">
      <h1 tabIndex={-1}>{children}</h1>
      {aside}
    </div>
  )
}

export function Card({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <section class="card" aria-label={title}>
      <h2>{title}</h2>
      {children}
    </section>
  )
}

export function Empty({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <div class="empty">
      <p>
        <strong>{title}</strong>
      </p>
      {children}
    </div>
  )
}

export function Message({ notice }: { notice?: Notice }) {
  return (
    <p class={`notice ${notice?.isError ? 'bad' : ''}`} role="status" aria-live="polite">
      {notice?.text}
    </p>
  )
}

export function LoadError({ error }: { error: ApiError }) {
  return (
    <p class="notice bad" role="alert">
      {error.message}
    </p>
  )
}

export function Back({ to }: { to: Section }) {
  return (
    <p class="crumbs">
      <a href={linkTo(to)}>Back to the list</a>
    </p>
  )
}

/** The view of a resource that is loading or does not exist. */
export function Missing({ section, title, error }: { section: Section; title: string; error?: ApiError }) {
  return (
    <>
      <Back to={section} />
      <Heading>{title}</Heading>
      {error ? <LoadError error={error} /> : <p class="muted">Loading…</p>}
    </>
  )
}

export function Pre({ children }: { children: string }) {
  // biome-ignore lint/a11y/noNoninteractiveTabindex: lets keyboard users scroll the text.
  return <pre tabIndex={0}>{children}</pre>
}

/** A JSON document or text, with a heading. The button copies strings unchanged, and other values as indented JSON. */
export function Code({ title, body }: { title: string; body: unknown }) {
  const text = pretty(body)
  return (
    <section class="code" aria-label={title}>
      <div class="code-head">
        <h2>{title}</h2>
        {text && <CopyButton text={typeof body === 'string' ? body : text} />}
      </div>
      {text ? <Pre>{text}</Pre> : <p class="muted">Empty</p>}
    </section>
  )
}

/** Copies text to the clipboard. Returns false if the browser does not allow this, for example without HTTPS. */
export async function copy(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return false
  }
}

function CopyButton({ text }: { text: string }) {
  const [label, setLabel] = useState('Copy')
  const onClick = async () => {
    setLabel((await copy(text)) ? 'Copied' : 'Select the text to copy it')
    setTimeout(() => setLabel('Copy'), 2_000)
  }
  return (
    <button type="button" class="quiet" onClick={onClick}>
      {label}
    </button>
  )
}

export function Facts({ facts }: { facts: readonly (readonly [name: string, value: ComponentChildren])[] }) {
  return (
    <dl>
      {facts
        .filter(([, value]) => value !== undefined && value !== '')
        .map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  )
}
