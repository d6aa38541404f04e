// The script of all pages. It sends forms to the control API and replaces the parts of the page that have changed.
import { Idiomorph } from 'idiomorph'
import { feedEventTypes } from '../sandbox/internal/feed.js'

const element = (id: string) => document.getElementById(id) as HTMLElement

let isStale = false
let queue = Promise.resolve()

/** Loads the page again after a change, at most every 200 ms. */
function refreshSoon(): void {
  if (isStale) return
  isStale = true
  setTimeout(() => {
    isStale = false
    queue = queue.then(refresh).catch(() => {})
  }, 200)
}

async function refresh(): Promise<void> {
  const response = await fetch(location.href)
  const fresh = new DOMParser().parseFromString(await response.text(), 'text/html')
  for (const id of ['now', 'main']) {
    const next = fresh.getElementById(id)
    if (next) Idiomorph.morph(element(id), next, { ignoreActiveValue: true, callbacks })
  }
}

/** Preserves edited forms, messages about actions and open details when the page is updated. */
const callbacks = {
  beforeNodeMorphed: (old: Node) => !(old instanceof Element && old.matches('[data-changed], .notice:not(:empty)')),
  beforeAttributeUpdated: (name: string) => name !== 'open',
}

function connect(wasLost = false): void {
  const source = new EventSource('/__sandbox/api/events')
  source.onopen = () => {
    show(element('connection'), wasLost ? 'Connected again.' : '')
    refreshSoon()
  }
  source.onerror = () => {
    source.close()
    show(element('connection'), 'Connection lost. The page shows the last known data and tries to connect again.', true)
    setTimeout(connect, 1_000, true)
  }
  for (const type of feedEventTypes) source.addEventListener(type, refreshSoon)
}

function show(notice: Element, text: string, isBad = false): void {
  notice.textContent = text
  notice.classList.toggle('bad', isBad)
}

async function act(action: string, args: object): Promise<Record<string, unknown>> {
  const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(args) }
  const response = await fetch(`/__sandbox/api/actions/${action}`, init)
  const body = await response.json()
  // Refreshes after every action, because some actions, such as `subscribe`, cause no event.
  refreshSoon()
  if (!response.ok) throw new Error(body.error.message)
  return body
}

/** Converts the text of a field to the argument. Returns undefined if the field is empty. */
function read({ type, checked, value, labels, dataset }: HTMLInputElement): unknown {
  const types = dataset['types'] ?? ''
  if (type === 'checkbox') return checked || undefined
  if (value === '') return undefined
  if (types.includes('array')) return value.split(/[\s,]+/).filter(Boolean)
  if (/^-?\d+$/.test(value) && /integer|number/.test(types)) return Number(value)
  const canBeText = types.includes('string')
  if (!types.includes('object') || (canBeText && !value.trim().startsWith('{'))) return value
  try {
    return JSON.parse(value)
  } catch {
    if (canBeText) return value
    throw new Error(`${labels?.[0]?.textContent} must be valid JSON, with double quotes`)
  }
}

function argumentsOf(form: HTMLFormElement): object {
  const args = JSON.parse(form.dataset['args'] ?? '{}')
  for (const field of form.querySelectorAll<HTMLInputElement>('[name]')) {
    const value = read(field)
    const [name = '', inner] = field.name.split('.')
    if (value !== undefined) args[name] = inner === undefined ? value : { ...args[name], [inner]: value }
  }
  return args
}

async function submit(form: HTMLFormElement, { action = '', success = '' }: DOMStringMap): Promise<void> {
  const notice = form.querySelector('.notice') as Element
  try {
    const result = await act(action, argumentsOf(form))
    if (action === 'snapshot') {
      const field = element('restore-snapshot') as HTMLTextAreaElement
      field.value = JSON.stringify(result['snapshot'])
      field.form?.setAttribute('data-changed', '')
    }
    const message = success.replace(/\{(\w+)\}/g, (_, name) => String(result[name]))
    show(notice, message)
  } catch (error) {
    show(notice, (error as Error).message, true)
  }
  for (const button of form.querySelectorAll('button')) button.title = notice.textContent
}

let snapshot: unknown

const clicks: Readonly<Record<string, () => Promise<string>>> = {
  async reset() {
    const taken = await act('snapshot', {})
    await act('reset', {})
    snapshot = taken['snapshot']
    return 'The sandbox was reset. Undo does not restore limited API keys, faults or recorded requests.'
  },
  async undo() {
    await act('restore', { snapshot })
    snapshot = undefined
    return 'The state before the reset was restored.'
  },
  async close() {
    snapshot = undefined
    return ''
  },
}

async function click({ id, parentElement, dataset: { copy, done = '' } }: HTMLElement): Promise<void> {
  if (copy !== undefined) {
    // Some browsers have no clipboard API on pages without HTTPS.
    const copied = navigator.clipboard?.writeText(copy).then(() => done) ?? Promise.reject()
    const message = await copied.catch(() => 'Select the text below to copy it.')
    show(parentElement?.querySelector('.notice') as Element, message)
  }
  const text = await clicks[id]?.().catch((error: Error) => error.message)
  if (text === undefined) return
  show(element('toast').firstElementChild as Element, text)
  element('undo').hidden = snapshot === undefined
  element('close').hidden = text === ''
}

addEventListener('click', ({ target }) => void click((target as Element).closest('button') ?? document.body))
addEventListener('submit', (event) => {
  event.preventDefault()
  const form = event.target as HTMLFormElement
  if (form.dataset['action']) void submit(form, form.dataset)
})
addEventListener('input', ({ target }) => {
  const { form } = target as HTMLInputElement
  form?.setAttribute('data-changed', '')
  if (form?.id !== 'filters') return
  const filters = [...new FormData(form)].filter(([, value]) => value !== '') as [string, string][]
  history.replaceState(null, '', `?${new URLSearchParams(filters)}`)
  refreshSoon()
})
addEventListener('pageshow', ({ persisted }) => persisted && location.reload())
setInterval(refreshSoon, 10_000)
connect()
