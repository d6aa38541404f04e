import type { Rows } from '../rows.js'

export const states: Rows = {
  'States and transitions': {
    'states.values':
      'Payment status values named: PENDING, AUTHORIZED, SETTLING, SETTLED, DECLINED, FAILED, CANCELLED.',
    'states.transaction-values': "A transaction's processorStatus takes PENDING, SETTLED, FAILED among its values.",
    'states.cancel': 'any state before SETTLED | POST /payments/:id/cancel | … CANCELLED',
    'states.cancel-settled': 'Payment has not reached SETTLED',
    'states.cancel-accepted': 'the processor accepts the void',
    'states.cancel-released': 'A void request goes to the processor and the hold on customer funds is released',
    'states.capture':
      'authorized payment | POST /payments/:id/capture | Full or partial capture succeeds … | SETTLED or SETTLING, depending on payment method type',
    'states.capture-partial': 'partial only if the processor supports it',
    'capture.parts': 'amount captured is reflected in processor.amountCaptured',
    'status-event.sent':
      'PENDING | processor response (asynchronous connections) | Authorization confirmed | AUTHORIZED | A PAYMENT.STATUS event is sent',
    'states.settled':
      'AUTHORIZED | processor response | Settlement confirmed | SETTLED | A PAYMENT.STATUS event is sent',
    'states.event-order':
      'PAYMENT.STATUS events arrive in the order the status changes, e.g. PENDING, then AUTHORIZED, then SETTLED, depending on workflow set-up.',
    'refund-event.outcome':
      'A refund is a separate transaction (transactionType REFUND) whose processorStatus ends as SETTLED (refund succeeded) or FAILED (refund unsuccessful); a PAYMENT.REFUND event is sent at that final state.',
    'states.status-reason': 'A payment with status DECLINED or FAILED carries a statusReason.',
  },
}
