// The script of the pages. It sends forms to the control API, and replaces the parts of the page that have changed.
import { Idiomorph } from 'idiomorph'
import { feedEventTypes } from '../sandbox/internal/feed.js'

type Result = Readonly<Record<string, unknown>>

const reconnectMs = 1_000
const batchMs = 200
const clockMs = 10_000

const element = (id: string) => document.getElementById(id) as HTMLElement

let timer: ReturnType<typeof setTimeout> | undefined
let queue = Promise.resolve()

/** Loads the page again after a change, at most every 200 ms. */
function refreshSoon(): void {
  timer ??= setTimeout(() => {
    timer = undefined
    queue = queue.then(refresh).catch(() => {})
  }, batchMs)
}

async function refresh(): Promise<void> {
  const response = await fetch(location.href)
  const fresh = new DOMParser().parseFromString(await response.text(), 'text/html')
  for (const id of ['now', 'main']) {
    const next = fresh.getElementById(id)
    if (next) Idiomorph.morph(element(id), next, { ignoreActiveValue: true, callbacks })
  }
}

/** Keeps forms with changed fields, messages about actions, and open details. */
const callbacks = {
  beforeNodeMorphed: (old: Node) => !(old instanceof Element && old.matches('[data-changed], .notice:not(:empty)')),
  beforeAttributeUpdated: (name: string) => name !== 'open',
}

function connect(wasLost = false): void {
  const source = new EventSource('/__sandbox/api/events')
  source.onopen = () => {
    element('connection').className = ''
    element('connection').textContent = wasLost ? 'Connected again.' : ''
    refreshSoon()
  }
  source.onerror = () => {
    source.close()
    element('connection').className = 'lost'
    element('connection').textContent =
      'Connection lost. The page shows the last known data and tries to connect again.'
    setTimeout(connect, reconnectMs, true)
  }
  for (const type of feedEventTypes) source.addEventListener(type, refreshSoon)
}

async function act(action: string, args: object): Promise<Result> {
  const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(args) }
  const response = await fetch(`/__sandbox/api/actions/${action}`, init).catch(() => {
    throw new Error('The sandbox does not respond')
  })
  const body = await response.json()
  // Some actions cause no event, such as `subscribe`.
  refreshSoon()
  if (!response.ok) throw new Error(body.error.message)
  return body
}

type Field = HTMLInputElement & { dataset: { types?: string } }

/** Converts the text of a field to the argument. Returns undefined if the field is empty. */
function read({ type, checked, value, labels, dataset: { types = '' } }: Field): unknown {
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
  for (const field of form.querySelectorAll<Field>('[name]')) {
    const value = read(field)
    const [name = '', inner] = field.name.split('.')
    if (value !== undefined) args[name] = inner === undefined ? value : { ...args[name], [inner]: value }
  }
  return args
}

async function submit(form: HTMLFormElement): Promise<void> {
  const { action = '', success = '' } = form.dataset
  const notice = form.querySelector('.notice') as HTMLElement
  try {
    const result = await act(action, argumentsOf(form))
    if (result['snapshot']) fill(element('restore-snapshot') as HTMLTextAreaElement, JSON.stringify(result['snapshot']))
    notice.className = 'notice'
    notice.textContent = success.replace(/\{(\w+)\}/g, (_, name) => String(result[name]))
  } catch (error) {
    notice.className = 'notice bad'
    notice.textContent = (error as Error).message
  }
  const button = form.querySelector('button') as HTMLButtonElement
  button.title = notice.textContent
}

function fill(field: HTMLTextAreaElement, text: string): void {
  field.value = text
  if (field.form) field.form.dataset['changed'] = ''
}

let snapshot: unknown

/** Shows a message beside the button Reset. */
async function toast(task: () => Promise<string>): Promise<void> {
  const text = await task().catch((error: Error) => error.message)
  element('toast').firstElementChild!.textContent = text
  element('undo').hidden = snapshot === undefined
  element('close').hidden = text === ''
}

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

/** Copies text to the clipboard. Some browsers do not allow this, for example without HTTPS. */
async function copy(button: HTMLElement): Promise<void> {
  const { copy = '', done = '' } = button.dataset
  const isCopied = await navigator.clipboard?.writeText(copy).then(
    () => true,
    () => false,
  )
  const notice = button.parentElement?.querySelector('.notice')
  if (notice) notice.textContent = isCopied ? done : 'Select the text below to copy it.'
}

addEventListener('submit', (event) => {
  event.preventDefault()
  const form = event.target as HTMLFormElement
  if (form.dataset['action']) void submit(form)
})
addEventListener('input', ({ target }) => {
  const { form } = target as HTMLInputElement
  if (!form) return
  form.dataset['changed'] = ''
  if (form.dataset['filter'] === undefined) return
  const filters = [...new FormData(form)].filter(([, value]) => value !== '') as [string, string][]
  history.replaceState(null, '', `?${new URLSearchParams(filters)}`)
  refreshSoon()
})
addEventListener('click', ({ target }) => {
  const button = (target as Element).closest('button')
  const task = clicks[button?.id ?? '']
  if (task) void toast(task)
  else if (button?.dataset['copy'] !== undefined) void copy(button)
})
addEventListener('pageshow', ({ persisted }) => persisted && location.reload())
setInterval(refreshSoon, clockMs)
connect()
