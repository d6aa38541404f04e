import { useState } from 'preact/hooks'
import { transitions } from '../../sandbox/domain/payments.js'
import { money } from '../../sandbox/internal/amount.js'
import { get, type PaymentDetails } from '../api.js'
import { ActionForm } from '../components/action.js'
import { Back, Card, Code, copy, Facts, Heading, Message, Missing, Status, Time } from '../components/parts.js'
import { copyAsTest } from '../copy-as-test.js'
import { useResource, useTask } from '../hooks.js'
import { methodOf } from './payments.js'
import { Timeline } from './timeline.js'

export function PaymentView({ id }: { id: string }) {
  const { data, error } = useResource('payments/:id', id)
  if (!data) return <Missing section="payments" title="Payment" error={error} />
  const { payment } = data
  return (
    <>
      <Back to="payments" />
      <Heading aside={<Status value={payment.status} />}>{money(payment.amount, payment.currencyCode)}</Heading>
      <p class="muted sub">
        {payment.orderId} · <code>{payment.id}</code>
      </p>
      <div class="columns">
        <div class="main-column">
          <section aria-label="Timeline">
            <h2>Timeline</h2>
            <Timeline details={data} />
          </section>
          <CopyAsTest details={data} />
          <details>
            <summary>Payment as JSON</summary>
            <Code title="Payment" body={payment} />
          </details>
        </div>
        <aside>
          <Actions details={data} />
          <Details details={data} />
        </aside>
      </div>
    </>
  )
}

function Details({ details: { payment } }: { details: PaymentDetails }) {
  const { currencyCode, processor = {}, statusReason } = payment
  return (
    <Card title="Details">
      <Facts
        facts={[
          ['Order', payment.orderId],
          ['Captured', money(processor.amountCaptured, currencyCode)],
          ['Refunded', money(processor.amountRefunded, currencyCode)],
          ['Method', methodOf(payment)],
          ['Customer', payment.customer?.emailAddress ?? payment.customerId],
          ['Reason', statusReason?.message],
          ['Required', payment.requiredAction?.description],
          ['Created', <Time key="created" at={payment.date} isLong />],
          ['Updated', <Time key="updated" at={payment.dateUpdated} isLong />],
        ]}
      />
    </Card>
  )
}

const processorActions = [
  ['authorize', 'The payment was authorized.'],
  ['settle', 'The payment was settled.'],
  ['decline', 'The payment was declined.'],
  ['fail', 'The payment failed.'],
] as const

function Actions({ details: { payment, disputes } }: { details: PaymentDetails }) {
  const { id: paymentId, status, transactions = [], requiredAction } = payment
  const disputeIds = [...new Set(disputes.map(({ processorDisputeId = '' }) => processorDisputeId))]
  const hasPendingRefund = transactions.some(
    ({ transactionType, processorStatus }) => transactionType === 'REFUND' && processorStatus === 'PENDING',
  )
  return (
    <Card title="Actions">
      <div class="buttons">
        {processorActions.map(([action, success]) => {
          const from: readonly (string | undefined)[] = transitions[`processor.${action}`].from
          const isPossible = from.includes(status) && !(action === 'authorize' && requiredAction)
          return (
            <ActionForm
              key={action}
              action={action}
              args={{ paymentId }}
              success={success}
              impossible={isPossible ? undefined : `Needs the status ${from.join(' or ')}`}
            />
          )
        })}
        <ActionForm
          action="completeAction"
          args={{ paymentId }}
          success={({ resumeToken }) =>
            `The customer completed the action. Resume the payment with this token: ${resumeToken}`
          }
          impossible={requiredAction ? undefined : 'Needs a payment that requires an action from the customer'}
        />
      </div>
      <ActionForm
        action="finishRefund"
        args={{ paymentId }}
        success="The refund was finished."
        impossible={hasPendingRefund ? undefined : 'The payment has no pending refund.'}
      />
      <ActionForm
        action="openDispute"
        fields={{
          amount: {
            type: 'integer',
            examples: [payment.amount],
            description: `Minor units: ${payment.amount} is ${money(payment.amount, payment.currencyCode)}`,
          },
          reason: { type: 'string', examples: ['FRAUDULENT'] },
        }}
        toArguments={(fields) => ({ paymentId, fields })}
        success={({ disputeId }) => `The dispute ${disputeId} was opened.`}
      />
      <ActionForm
        action="moveDispute"
        fields={{ disputeId: { enum: disputeIds }, status: {} }}
        success="The dispute was moved."
        impossible={disputes.length > 0 ? undefined : 'The payment has no dispute.'}
      />
    </Card>
  )
}

function CopyAsTest({ details }: { details: PaymentDetails }) {
  const [code, setCode] = useState('')
  const { run, notice } = useTask()
  const onClick = () =>
    run(async () => {
      const { data } = await get('ledger')
      const text = copyAsTest(details, data)
      setCode(text)
      const isCopied = await copy(text)
      return `${isCopied ? 'Copied. Save it' : 'Copy the test below, save it'} as payment.test.ts and run it with vitest.`
    })
  return (
    <section aria-label="Test">
      <button type="button" onClick={onClick}>
        Copy as test
      </button>
      <Message notice={notice} />
      {code && <Code title="Test" body={code} />}
    </section>
  )
}
