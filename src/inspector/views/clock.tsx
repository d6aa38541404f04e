import { useState } from 'preact/hooks'
import { type ActionResult, act, perform } from '../api.js'
import { ActionForm } from '../components/action.js'
import { Card, Heading, Message } from '../components/parts.js'
import { absolute } from '../format/time.js'
import { useNow, useTask } from '../hooks.js'

export function ClockView() {
  const now = useNow()
  return (
    <>
      <Heading>Clock</Heading>
      <div class="cards">
        <Card title="Time">
          <p class="big">
            <time dateTime={new Date(now).toISOString()}>{absolute(now)}</time>
          </p>
          <p class="hint">
            When the clock advances, all tasks that become due run in order: the sandbox retries webhooks, expires
            client tokens, and adds new payments to the lists.
          </p>
          <ActionForm action="advanceClock" success={({ now }) => `The clock is at ${absolute(now)}.`} />
        </Card>
        <Card title="Options">
          <p class="hint">Empty fields keep their values. Reset restores the options with which the sandbox started.</p>
          <ActionForm action="setOptions" success="The options were changed." />
        </Card>
        <Snapshots />
      </div>
    </>
  )
}

const maxShownCharacters = 100_000

/** Keeps large snapshots in memory, because they would slow down a text field. */
function Snapshots() {
  const { run, notice, isBusy } = useTask()
  const [taken, setTaken] = useState<ActionResult<'snapshot'> & { description: string }>()
  const [text, setText] = useState('')
  const onSnapshot = () =>
    run(async () => {
      const { snapshot } = await act('snapshot', {})
      const json = JSON.stringify(snapshot)
      const description = `Snapshot of ${new Date().toLocaleTimeString('en-GB')}, ${Math.ceil(json.length / 1024)} KB`
      setTaken({ snapshot, description })
      setText(json.length <= maxShownCharacters ? json : '')
      return `${description}. Restore returns to this state.`
    })
  const onRestore = (event: SubmitEvent) => {
    event.preventDefault()
    void run(async () => {
      const snapshot = text.trim() === '' ? taken?.snapshot : parse(text)
      if (snapshot === undefined) throw new Error('Take a snapshot first, or paste one.')
      return perform('restore', { snapshot }, 'The snapshot was restored.')
    })
  }
  return (
    <Card title="State">
      <p class="hint">
        A snapshot contains payments, sessions, saved methods, balances, disputes and webhooks. It does not contain API
        keys or signing secrets.
      </p>
      <form onSubmit={onRestore} aria-label="State">
        <div class="field">
          <label for="snapshot">Snapshot</label>
          <textarea
            id="snapshot"
            rows={4}
            spellcheck={false}
            placeholder={taken?.description ?? 'Take a snapshot, or paste one'}
            value={text}
            onInput={(event) => setText(event.currentTarget.value)}
          />
        </div>
        <div class="buttons">
          <button type="button" disabled={isBusy} onClick={onSnapshot}>
            Snapshot
          </button>
          <button type="submit" disabled={isBusy}>
            Restore
          </button>
        </div>
        <Message notice={notice} />
      </form>
    </Card>
  )
}

function parse(json: string) {
  try {
    return JSON.parse(json)
  } catch {
    throw new Error('The snapshot is not valid JSON: paste the whole snapshot.')
  }
}
