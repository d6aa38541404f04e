import type { Rows } from '../rows.js'

export const events: Rows = {
  Events: {
    'events.request': 'The service sends webhooks (HTTP requests with a JSON body)',
    'events.confirmed': 'expects the receiver to return status 200 to confirm receipt',
    'events.signed': 'Each carries the two signature headers described under Authentication.',
  },
  'PAYMENT.STATUS': {
    'status-event.sent':
      "Sent when a payment's status changes; especially useful for asynchronous processor connections without an upfront authorization.",
    'states.event-order': 'Events arrive in the order of status changes.',
    'status-event.payment': 'The body carries the full payment.',
    'status-event.type': 'eventType | string | PAYMENT.STATUS',
    'status-event.date': 'date | datetime | When the webhook was sent',
    'status-event.notification-config': 'notificationConfig | object | `id` (string), `description` (string)',
    'events.version': 'version | string | Payload version',
    'status-event.fields':
      'payment | object | id, date, status, orderId, currencyCode, amount, customerId, metadata, paymentMethod (also vaultedPaymentMethodToken), processor, statusReason, transactions (transactionType, processorTransactionId, processorName, processorMerchantId, processorStatus, processorStatusReason), riskData',
  },
  'PAYMENT.REFUND': {
    'refund-event.sent':
      'Sent when a refund request has been fully processed by the processor and reached a final state.',
    'refund-event.shape': 'Body shape is the same as PAYMENT.STATUS with eventType PAYMENT.REFUND.',
    'refund-event.latest':
      'The receiver checks the transaction with the most recent transactionType REFUND in transactions',
    'refund-event.outcome':
      'processorStatus SETTLED means the refund succeeded and funds returned to the customer; FAILED means it did not succeed.',
  },
  'DISPUTE.STATUS (open beta)': {
    'dispute.kinds':
      'Sent for retrievals, disputes (chargebacks) and pre-arbitration filings, unified across processors.',
    'dispute.event-type': 'eventType | string | DISPUTE.STATUS',
    'events.version': 'version | string | Payload version',
    'dispute.type': 'type | enum | RETRIEVAL, DISPUTE, PREARBITRATION',
    'dispute.status': 'status | enum | OPEN appears as a value',
    'dispute.account': 'primerAccountId | string | Merchant account identifier',
    'dispute.payment':
      "transactionId | string | Transaction the dispute corresponds to | … orderId | string | Merchant's reference for the sale | … paymentId | string | Payment the dispute corresponds to",
    'dispute.payment-method':
      'paymentMethod | object | `paymentMethodType` (string), `paymentMethodData` with `network` (string)',
    'dispute.processor':
      'processor | enum | One of two processors that send dispute notifications | … merchantId | string | Merchant ID at the processor',
    'dispute.id': 'processorDisputeId | string | Shared across dispute types and statuses of the same dispute',
    'dispute.received-at': "receivedAt | datetime | ISO UTC time the service received the processor's event",
    'dispute.deadline': 'challengeRequiredBy | datetime | Deadline to challenge, when the processor provides it',
    'dispute.reason':
      "reason | string | Unified reason, same for the same reasonCode across processors | … reasonCode | string | Card scheme reason code | … processorReason | string | Processor's own reason text",
    'dispute.amount':
      'amount | integer | Disputed amount in minor units; may differ from the payment amount | … currency | string | ISO 4217',
  },
}
