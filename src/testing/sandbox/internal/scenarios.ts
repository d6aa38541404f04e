import type { KnownPaymentStatus, StatusReason } from '../../../core/schemas/payment.js'
import type { PaymentMethodData } from '../../../core/schemas/payment-method.js'

/** A reusable payment method token for each scenario. The scenario determines how the payments behave. */
export interface ScenarioTokens {
  /** The payment is authorized immediately, and settled when captured. */
  readonly card: string
  /** The issuer declines the payment (`HARD_DECLINE`). */
  readonly declined: string
  /** The issuer declines the payment for now (`SOFT_DECLINE`). */
  readonly softDecline: string
  /** The payment fails for a technical reason. */
  readonly failed: string
  /** The customer must act. After `completeAction` and `resume`, the payment is authorized. */
  readonly requires3ds: string
  /** The customer must act. After `completeAction` and `resume`, the payment is declined. */
  readonly fails3ds: string
  /** The payment is pending until `processor` authorizes, declines or fails it. */
  readonly pending: string
  /** The payment is `SETTLING` after a capture, until `processor.settle` settles it. */
  readonly slowSettlement: string
  /** The payment can be adjusted if it was created with `authorizationType: 'ESTIMATED'`. */
  readonly estimated: string
  /** The payment is authorized, but fails when captured. */
  readonly failsOnCapture: string
  /** The payment can be captured only in full. */
  readonly fullCaptureOnly: string
  /** The payment cannot be cancelled. */
  readonly cancelFails: string
  /** Refunds of the payment fail immediately. */
  readonly refundFails: string
  /** Refunds of the payment succeed immediately. */
  readonly instantRefund: string
  /** The payment method cannot be saved with `verify: true`. */
  readonly verificationFails: string
  /** The payment uses a PayPal account. The list filter `partneraEmail` finds it. */
  readonly paypal: string
  /** The payment uses a Klarna account, and is `SETTLING` after a capture. The list filter `partnerbEmail` finds it. */
  readonly klarna: string
}

/** The name of a scenario, for example `softDecline`. */
export type ScenarioName = keyof ScenarioTokens

/** The result of a payment at the processor. */
export interface ProcessorResult {
  status: Exclude<KnownPaymentStatus, 'PARTIALLY_SETTLED' | 'CANCELLED'>
  statusReason?: StatusReason
}

export interface Scenario {
  readonly paymentMethodType: string
  readonly paymentMethodData: PaymentMethodData & Record<string, unknown>
  /** E-mail address of the customer's wallet account. The list filter `partneraEmail` matches it. */
  readonly partneraEmail?: string
  readonly partnerbEmail?: string
  readonly onCreate: ProcessorResult
  /** Outcome after 3-D Secure. Absent if the payment requires no action. */
  readonly onResume?: ProcessorResult
  readonly onCapture: ProcessorResult
  readonly onRefund: 'PENDING' | 'SETTLED' | 'FAILED'
  readonly allowsPartialCapture: boolean
  readonly allowsAdjustment: boolean
  readonly allowsCancel: boolean
  readonly passesVerification: boolean
}

const pending: ProcessorResult = { status: 'PENDING' }
const settling: ProcessorResult = { status: 'SETTLING' }
const declined = decline('HARD_DECLINE', 'DO_NOT_HONOR', 'The issuer declined the payment.')
const softDeclined = decline('SOFT_DECLINE', 'INSUFFICIENT_FUNDS', 'The issuer declined the payment for now.')
const failed: ProcessorResult = {
  status: 'FAILED',
  statusReason: failure('The processor could not handle the request.'),
}

export const refundFailure = failure('The processor could not refund the payment.')

export const scenarios: { readonly [Name in ScenarioName]: Scenario } = {
  card: card('1111'),
  declined: card('0002', { onCreate: declined }),
  softDecline: card('9995', { onCreate: softDeclined }),
  failed: card('0119', { onCreate: failed }),
  requires3ds: card('3220', { onCreate: pending, onResume: { status: 'AUTHORIZED' } }),
  fails3ds: card('1629', { onCreate: pending, onResume: softDeclined }),
  pending: card('7726', { onCreate: pending }),
  slowSettlement: card('0077', { onCapture: settling }),
  estimated: card('0259', { allowsAdjustment: true }),
  failsOnCapture: card('0341', { onCapture: failed }),
  fullCaptureOnly: card('5556', { allowsPartialCapture: false }),
  cancelFails: card('0028', { allowsCancel: false }),
  refundFails: card('5126', { onRefund: 'FAILED' }),
  instantRefund: card('4242', { onRefund: 'SETTLED' }),
  verificationFails: card('0101', { passesVerification: false }),
  paypal: card('', {
    paymentMethodType: 'PAYPAL',
    paymentMethodData: { externalPayerInfo: { email: 'wallet@example.com' } },
    partneraEmail: 'wallet@example.com',
  }),
  klarna: card('', {
    paymentMethodType: 'KLARNA',
    paymentMethodData: { sessionData: { billingAddress: { email: 'later@example.com' } } },
    partnerbEmail: 'later@example.com',
    onCapture: settling,
  }),
}

export const scenarioNames = Object.keys(scenarios) as ScenarioName[]

/** The constant token of each scenario, for example `tok_soft_decline` for `softDecline`. */
export const tokens = Object.fromEntries(
  scenarioNames.map((name) => [name, `tok_${name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}`]),
) as unknown as ScenarioTokens

/** Creates a scenario: an ordinary Visa credit card with the given differences. */
function card(last4Digits: string, differences: Partial<Scenario> = {}): Scenario {
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
    onCreate: { status: 'AUTHORIZED' },
    onCapture: { status: 'SETTLED' },
    onRefund: 'PENDING',
    allowsPartialCapture: true,
    allowsAdjustment: false,
    allowsCancel: true,
    passesVerification: true,
    ...differences,
  }
}

function decline(declineType: string, code: string, message: string): ProcessorResult {
  return { status: 'DECLINED', statusReason: { type: 'ISSUER_DECLINED', declineType, code, message } }
}

function failure(message: string): StatusReason {
  return { type: 'APPLICATION_ERROR', code: 'ERROR', message }
}
