import { useState } from 'preact/hooks'
import type { ActionResult } from '../api.js'
import { ActionForm } from '../components/action.js'
import { Card, Code, Heading } from '../components/parts.js'
import { absolute } from '../format/time.js'
import { useNow } from '../hooks.js'

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

/** Keeps the last snapshot, and displays it only if it is short, because a long one would slow down the page. */
function Snapshots() {
  const [taken, setTaken] = useState<ActionResult<'snapshot'>['snapshot']>()
  const [text, setText] = useState('')
  const onSnapshot = ({ snapshot }: ActionResult<'snapshot'>) => {
    const json = JSON.stringify(snapshot)
    setTaken(snapshot)
    setText(json.length <= maxShownCharacters ? json : '')
    const time = new Date().toLocaleTimeString('en-GB')
    return `Snapshot of ${time}, ${Math.ceil(json.length / 1024)} KB. Restore returns to this state.`
  }
  return (
    <Card title="State">
      <p class="hint">
        A snapshot contains payments, sessions, saved methods, balances, disputes and webhooks. It does not contain API
        keys or signing secrets.
      </p>
      <ActionForm action="snapshot" success={onSnapshot} />
      {text && <Code title="Last snapshot" body={text} />}
      <ActionForm
        action="restore"
        fields={{ snapshot: { description: 'Empty for the last snapshot' } }}
        toArguments={({ snapshot = taken }) => {
          if (snapshot === undefined) throw new Error('Take a snapshot first, or paste one.')
          return { snapshot: snapshot as NonNullable<typeof taken> }
        }}
        success="The snapshot was restored."
      />
    </Card>
  )
}
