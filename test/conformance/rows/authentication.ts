import type { Rows } from '../rows.js'

export const authentication: Rows = {
  Authentication: {
    'authentication.header':
      'Requests are authenticated with an API key sent in the HTTP header `X-Api-Key` (value `<API_KEY>`).',
    'authentication.secret': 'Keys are used only from a backend and never shared or hardcoded.',
    'authentication.keys': 'Keys are generated, revoked and scoped in the developer area of the dashboard.',
    'authentication.immediate': 'Changes to an existing key apply immediately.',
    'scope.client-tokens-write': 'client_tokens:write | Create client tokens for the client SDK',
    'scope.third-party-webhook-trigger':
      "third_party:webhook_trigger | Post to the service's webhooks endpoint (communication between a processor and the service about payment lifecycle events)",
    'scope.transactions-authorize': 'transactions:authorize | Authorize a payment',
    'scope.transactions-cancel': 'transactions:cancel | Cancel a payment',
    'scope.transactions-capture': 'transactions:capture | Submit a payment for settlement',
    'scope.transactions-retrieve': 'transactions:retrieve | Retrieve one or more payments',
    'scope.transactions-refund': 'transactions:refund | Refund a payment',
    'scope.payment-instrument-read': 'payment_instrument:read | Read stored payment methods',
    'scope.payment-instrument-write': 'payment_instrument:write | Write stored payment methods',
    'scope.observability-payments-write': 'observability-payments:write | Create external payments',
    'scope.loyalty-transactions-write': 'loyalty-transactions:write | Create loyalty transactions',
    'scope.loyalty-transactions-read':
      'loyalty-transactions:read | List loyalty transactions and read loyalty customers',
    'signature.primary':
      'Webhook requests sent by the service carry signature headers: `X-Signature-Primary` (string) is an HMAC of the payload computed with a shared signing secret `<SIGNING_SECRET>`, base64 encoded',
    'signature.secondary':
      '`X-Signature-Secondary` (string) is an additional signature present when the secret was rotated within the past 24 hours.',
  },
}
