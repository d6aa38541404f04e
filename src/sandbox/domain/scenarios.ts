import type { StatusReason } from '../../schemas/payment.js'
import type { PaymentMethodData } from '../../schemas/payment-method.js'

/** How a step at the processor ends. */
export interface Outcome {
  status: 'PENDING' | 'AUTHORIZED' | 'SETTLING' | 'SETTLED' | 'DECLINED' | 'FAILED'
  statusReason?: StatusReason
}

/** How the payments with one payment method go, from beginning to end. */
export interface Scenario {
  /** One line for the documentation. */
  readonly summary: string
  readonly paymentMethodType: string
  readonly paymentMethodData: PaymentMethodData & Record<string, unknown>
  /** E-mail of a third-party wallet account, by the list filter that finds it. */
  readonly partneraEmail?: string
  readonly partnerbEmail?: string
  /** What becomes of a new payment. */
  readonly onCreate: Outcome
  /** Whether the customer has to pass 3-D Secure first, and what becomes of the payment then. */
  readonly onResume?: Outcome
  readonly onCapture: Outcome
  readonly onRefund: 'PENDING' | 'SETTLED' | 'FAILED'
  readonly takesPartialCaptures: boolean
  readonly takesAdjustments: boolean
  readonly takesVoids: boolean
  readonly passesVerification: boolean
}

const declined: Outcome = {
  status: 'DECLINED',
  statusReason: {
    type: 'ISSUER_DECLINED',
    declineType: 'HARD_DECLINE',
    code: 'DO_NOT_HONOR',
    message: 'The issuer declined the payment.',
  },
}

const softDeclined: Outcome = {
  status: 'DECLINED',
  statusReason: {
    type: 'ISSUER_DECLINED',
    declineType: 'SOFT_DECLINE',
    code: 'INSUFFICIENT_FUNDS',
    message: 'The issuer declined the payment for now.',
  },
}

const failed: Outcome = {
  status: 'FAILED',
  statusReason: {
    type: 'APPLICATION_ERROR',
    code: 'ERROR',
    message: 'The processor could not handle the request.',
  },
}

/** Why a refund did not succeed. */
export const refundFailure: StatusReason = {
  type: 'APPLICATION_ERROR',
  code: 'ERROR',
  message: 'The processor could not refund the payment.',
}

/** Everything goes well; the other scenarios say where they differ. */
const card: Scenario = {
  summary: 'Authorized at once, and settled as soon as it is captured',
  ...cardEnding('1111'),
  onCreate: { status: 'AUTHORIZED' },
  onCapture: { status: 'SETTLED' },
  onRefund: 'PENDING',
  takesPartialCaptures: true,
  takesAdjustments: false,
  takesVoids: true,
  passesVerification: true,
}

const table = {
  card,
  declined: { ...card, ...cardEnding('0002'), summary: 'Declined by the issuer for good', onCreate: declined },
  softDecline: {
    ...card,
    ...cardEnding('9995'),
    summary: 'Declined by the issuer for now (`declineType: SOFT_DECLINE`)',
    onCreate: softDeclined,
  },
  failed: { ...card, ...cardEnding('0119'), summary: 'Failed for a technical reason', onCreate: failed },
  requires3ds: {
    ...card,
    ...cardEnding('3220'),
    summary: 'Pending with a required action; authorized when resumed after `sandbox.completeAction`',
    onCreate: { status: 'PENDING' },
    onResume: { status: 'AUTHORIZED' },
  },
  fails3ds: {
    ...card,
    ...cardEnding('1629'),
    summary: 'Pending with a required action; declined when resumed after `sandbox.completeAction`',
    onCreate: { status: 'PENDING' },
    onResume: softDeclined,
  },
  pending: {
    ...card,
    ...cardEnding('7726'),
    summary: 'Asynchronous: pending until `sandbox.processor` authorizes, declines or fails it',
    onCreate: { status: 'PENDING' },
  },
  slowSettlement: {
    ...card,
    ...cardEnding('0077'),
    summary: 'Settling after a capture, until `sandbox.processor.settle`',
    onCapture: { status: 'SETTLING' },
  },
  estimated: {
    ...card,
    ...cardEnding('0259'),
    summary: 'Its authorized amount can be adjusted, when the payment asks for `authorizationType: ESTIMATED`',
    takesAdjustments: true,
  },
  failsOnCapture: {
    ...card,
    ...cardEnding('0341'),
    summary: 'Authorized; failed when it is captured',
    onCapture: failed,
  },
  fullCaptureOnly: {
    ...card,
    ...cardEnding('5556'),
    summary: 'Its processor refuses partial captures',
    takesPartialCaptures: false,
  },
  cancelFails: {
    ...card,
    ...cardEnding('0028'),
    summary: 'Its processor refuses to void',
    takesVoids: false,
  },
  refundFails: {
    ...card,
    ...cardEnding('5126'),
    summary: 'Its refunds fail at once',
    onRefund: 'FAILED',
  },
  instantRefund: {
    ...card,
    ...cardEnding('4242'),
    summary: 'Its refunds succeed at once',
    onRefund: 'SETTLED',
  },
  verificationFails: {
    ...card,
    ...cardEnding('0101'),
    summary: 'Vaulting it with `verify: true` is refused',
    passesVerification: false,
  },
  paypal: {
    ...card,
    summary: 'A wallet account, found in lists by `partneraEmail`',
    paymentMethodType: 'PAYPAL',
    paymentMethodData: { externalPayerInfo: { email: 'wallet@example.com' } },
    partneraEmail: 'wallet@example.com',
  },
  klarna: {
    ...card,
    summary: 'A pay-later account, found in lists by `partnerbEmail`; settling after a capture',
    paymentMethodType: 'KLARNA',
    paymentMethodData: { sessionData: { billingAddress: { email: 'later@example.com' } } },
    partnerbEmail: 'later@example.com',
    onCapture: { status: 'SETTLING' },
  },
} satisfies Record<string, Scenario>

/** The name of a scenario, e.g. `softDecline`. */
export type ScenarioName = keyof typeof table

/** The token of each scenario. */
export type ScenarioTokens = { readonly [Name in ScenarioName]: string }

export const scenarios: { readonly [Name in ScenarioName]: Scenario } = table

export const scenarioNames = Object.keys(table) as ScenarioName[]

/** `tok_soft_decline` for `softDecline`. */
export const tokens = Object.fromEntries(
  scenarioNames.map((name) => [name, `tok_${name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}`]),
) as ScenarioTokens

/** A Visa credit card of a bank that does not exist. */
function cardEnding(last4Digits: string) {
  return {
    paymentMethodType: 'PAYMENT_CARD',
    paymentMethodData: {
      first6Digits: '411111',
      last4Digits,
      expirationMonth: '03',
      expirationYear: '2035',
      cardholderName: 'Ada Lovelace',
      network: 'Visa',
      isNetworkTokenized: false,
      binData: {
        network: 'VISA',
        issuerCountryCode: 'US',
        issuerName: 'Bank of Nowhere',
        issuerCurrencyCode: 'USD',
        regionalRestriction: 'UNKNOWN',
        accountNumberType: 'PRIMARY_ACCOUNT_NUMBER',
        accountFundingType: 'CREDIT',
        prepaidReloadableIndicator: 'NOT_APPLICABLE',
        productUsageType: 'CONSUMER',
        productCode: 'VISA',
        productName: 'Visa Classic',
      },
    },
  }
}
