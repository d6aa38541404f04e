import type { ComponentType } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { type ActionResult, act } from './api.js'
import { absolute } from './format/time.js'
import { NowProvider, useLive, useSandboxClock, useTask } from './hooks.js'
import { linkTo, type Route, type Section, sections, useRoute } from './routes.js'
import { ClockView } from './views/clock.js'
import { ExternalPaymentsView, FaultsView, LoyaltyView, SavedMethodsView, SessionsView } from './views/lists.js'
import { PaymentView } from './views/payment.js'
import { PaymentsView } from './views/payments.js'
import { RequestsView, RequestView } from './views/requests.js'
import { DeliveryView, WebhooksView } from './views/webhooks.js'

export function App() {
  const route = useRoute()
  const now = useSandboxClock()
  useTitle(route)
  return (
    <NowProvider value={now}>
      <button type="button" class="skip" onClick={focusHeading}>
        Skip to content
      </button>
      <header>
        <p class="brand">
          <img src="icon.svg" alt="" width="20" height="20" />
          <span>Sandbox</span>
        </p>
        <nav aria-label="Sections">
          {(Object.keys(sections) as Section[]).map((section) => (
            <a key={section} href={linkTo(section)} aria-current={section === route.section ? 'page' : undefined}>
              {sections[section]}
            </a>
          ))}
        </nav>
        <div class="tools">
          <p class="muted small" title="The time of the sandbox's clock">
            {absolute(now)}
          </p>
          <Reset />
        </div>
      </header>
      <Connection />
      <main id="main">{viewOf(route)}</main>
    </NowProvider>
  )
}

function viewOf({ section, id }: Route) {
  if (section === 'payments' && id === 'external') return <ExternalPaymentsView />
  const [List, Details] = views[section]
  return Details && id !== undefined ? <Details key={id} id={id} /> : <List />
}

/** The views of each section: the list, and the details of one row. */
const views: Record<Section, [list: ComponentType, details?: ComponentType<{ id: string }>]> = {
  payments: [PaymentsView, PaymentView],
  requests: [RequestsView, RequestView],
  webhooks: [WebhooksView, DeliveryView],
  sessions: [SessionsView],
  'saved-methods': [SavedMethodsView],
  loyalty: [LoyaltyView],
  faults: [FaultsView],
  clock: [ClockView],
}

/** Sets the document's title. Moves the focus to the heading of a new view. */
function useTitle({ section, id }: Route): void {
  const isFirst = useRef(true)
  useEffect(() => {
    document.title = `${id === undefined ? '' : `${id} – `}${sections[section]} – Payments sandbox`
    if (!isFirst.current) {
      scrollTo(0, 0)
      focusHeading()
    }
    isFirst.current = false
  }, [section, id])
}

function focusHeading(): void {
  document.querySelector<HTMLElement>('h1')?.focus()
}

function Connection() {
  const [text, setText] = useState('')
  const wasLost = useRef(false)
  useLive((isConnected) => {
    if (!isConnected) {
      wasLost.current = true
      setText('Connection lost. The page shows the last known data and tries to connect again.')
    } else if (wasLost.current) {
      wasLost.current = false
      setText('Connected again.')
      setTimeout(() => setText((old) => (old === 'Connected again.' ? '' : old)), 4_000)
    }
  })
  return (
    <p class={`connection ${wasLost.current ? 'lost' : ''}`} role="status" aria-live="assertive">
      {text}
    </p>
  )
}

/** A button that resets the sandbox without asking for confirmation, and a button that undoes the reset. */
function Reset() {
  const [snapshot, setSnapshot] = useState<ActionResult<'snapshot'>['snapshot']>()
  const { run, notice } = useTask()
  const onReset = () =>
    run(async () => {
      const { snapshot } = await act('snapshot', {})
      await act('reset', {})
      setSnapshot(snapshot)
      return 'The sandbox was reset. Undo does not restore limited API keys, faults or recorded requests.'
    })
  const onUndo = () =>
    run(async () => {
      if (snapshot) await act('restore', { snapshot })
      setSnapshot(undefined)
      return 'The state before the reset was restored.'
    })
  const onClose = () => {
    setSnapshot(undefined)
    void run(async () => '')
  }
  const text = notice?.text
  return (
    <>
      <button type="button" class="quiet" onClick={onReset}>
        Reset
      </button>
      <div class={`toast ${text ? '' : 'hidden'}`}>
        <p role="status" aria-live="polite">
          {text}
        </p>
        {snapshot !== undefined && (
          <button type="button" class="quiet" onClick={onUndo}>
            Undo
          </button>
        )}
        {text && (
          <button type="button" class="quiet" aria-label="Close message" onClick={onClose}>
            ✕
          </button>
        )}
      </div>
    </>
  )
}
