// Saves a card during the first payment and charges it later.
import { isOpen, isPaid, PaymentsClient } from 'payments-client'
import { createSandbox } from 'payments-client/sandbox'

const sandbox = createSandbox()
const client = new PaymentsClient(sandbox.clientOptions())

// In the first month, the customer pays. `vaultOnSuccess` saves the card if the payment succeeds.
const first = await client.payments.create({
  paymentMethodToken: sandbox.tokenize(),
  orderId: 'tea-club-march-ada',
  currencyCode: 'EUR',
  amount: 1250,
  customerId: 'ada',
  paymentMethod: { vaultOnSuccess: true, descriptor: 'TEA CLUB' },
})
console.log(first.status, first.paymentMethod?.paymentType) //=> 'AUTHORIZED' 'FIRST_PAYMENT'

// In the next month, the merchant charges the saved card. `paymentType` informs the issuer that this is a subscription.
// If the job crashes and runs again, the idempotency key prevents a second charge.
const cards = await client.paymentInstruments.list({ customerId: 'ada' })
const card = cards.find((card) => !card.deleted && card.analyticsId === first.paymentMethod?.analyticsId)
console.log(card?.tokenType, card?.paymentMethodData?.last4Digits) //=> 'MULTI_USE' '1111'

const second = await client.payments.create(
  {
    paymentMethodToken: card!.token,
    orderId: 'tea-club-april-ada',
    currencyCode: 'EUR',
    amount: 1250,
    customerId: 'ada',
    paymentMethod: { paymentType: 'SUBSCRIPTION', descriptor: 'TEA CLUB' },
  },
  { idempotencyKey: 'pay-tea-club-april-ada-1' },
)
if (!isOpen(second) && !isPaid(second)) throw new Error(`Not charged: ${second.statusReason?.message}`)
console.log(second.status, second.paymentMethod?.isVaulted) //=> 'AUTHORIZED' true

// You can also save a card without a payment. With `verify`, the service first verifies the card with the issuer.
const spare = await client.paymentInstruments.vault(sandbox.tokenize(), { customerId: 'ada', verify: true })
const preferred = await client.paymentInstruments.setDefault(spare.token)
console.log(preferred.isVerified, preferred.default) //=> true true

// The customer cancels the subscription.
const deleted = await client.paymentInstruments.delete(card!.token)
console.log(deleted.deleted) //=> true
console.log((await client.paymentInstruments.list({ customerId: 'ada' })).length) //=> 1
