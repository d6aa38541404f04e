import type { Rows } from '../rows.js'

export const limits: Rows = {
  Limits: {
    'limits.page': 'Payments per page | GET /payments | Up to 100',
    'limits.client-token': 'Client token lifetime | POST /client-session | 24 hours',
    'limits.minimum-amount': 'Minimum amount | POST /payments, external payments | 0',
    'list.delay': 'Availability delay of a new payment in the list | GET /payments | Within a minute',
    'signature.secondary': 'Secondary signature period | Webhooks | Present for 24 hours after a secret rotation',
    'limits.metadata': 'metadata values | Payments, client sessions, external payments | Only strings or integers',
    'capture.final': 'Captures after final capture | capture | None allowed',
  },
}
