import { describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import * as schemas from '../../src/schemas/index.js'
import { createdSession, createdSessionV21, session, sessionV21 } from '../support/responses/client-sessions.js'
import { loyaltyCustomer, loyaltyTransaction } from '../support/responses/loyalty.js'
import { externalPayment } from '../support/responses/observability.js'
import { savedCard } from '../support/responses/payment-instruments.js'
import { authorizedPayment, authorizedPaymentV21, paymentsPage, pendingPayment } from '../support/responses/payments.js'

const { order, customer, paymentMethod, riskData, transactions, processor } = authorizedPayment
const event = { date: '2026-03-01T09:30:00', version: '2.1', payment: authorizedPayment }

/** What each schema is for, as the service sends it. */
const samples: Record<keyof typeof schemas, object | undefined> = {
  PaymentSchema: authorizedPayment,
  PaymentV21Schema: authorizedPaymentV21,
  PaymentSummarySchema: paymentsPage.data[0],
  TransactionSchema: transactions[0],
  StatusReasonSchema: transactions[0]?.processorStatusReason,
  ProcessorSchema: processor,
  RequiredActionSchema: pendingPayment.requiredAction,
  RiskDataSchema: riskData,
  PaymentMethodSchema: paymentMethod,
  PaymentMethodDataSchema: paymentMethod.paymentMethodData,
  BinDataSchema: paymentMethod.paymentMethodData.binData,
  ThreeDSecureAuthenticationSchema: paymentMethod.threeDSecureAuthentication,
  OrderSchema: order,
  OrderDetailsSchema: authorizedPaymentV21.orderDetails,
  LineItemSchema: order.lineItems[0],
  ProductDataSchema: order.lineItems[0]?.productData,
  FeeSchema: order.fees[0],
  ShippingSchema: order.shipping,
  CustomerSchema: customer,
  AddressSchema: customer.billingAddress,
  ClientSessionSchema: session,
  ClientSessionV21Schema: sessionV21,
  CreatedClientSessionSchema: createdSession,
  CreatedClientSessionV21Schema: createdSessionV21,
  SessionWarningSchema: createdSession.warnings,
  PaymentInstrumentSchema: savedCard,
  ExternalPaymentSchema: externalPayment,
  LoyaltyTransactionSchema: loyaltyTransaction,
  LoyaltyCustomerSchema: loyaltyCustomer,
  PaymentStatusEventSchema: { eventType: 'PAYMENT.STATUS', ...event },
  PaymentRefundEventSchema: { eventType: 'PAYMENT.REFUND', ...event },
  DisputeStatusEventSchema: { eventType: 'DISPUTE.STATUS', type: 'RETRIEVAL', status: 'OPEN', amount: 700 },
}

describe('the schemas', () => {
  it('are all tried here', () => {
    expect(Object.keys(samples).sort()).toEqual(Object.keys(schemas).sort())
  })

  it.each(Object.entries<z.ZodMiniType>(schemas))(
    '%s reads what the service sends, and keeps what is new',
    (name, schema) => {
      const answer = { ...samples[name as keyof typeof schemas], somethingNew: { a: null } }

      expect(z.parse(schema, answer)).toEqual(answer)
      expect(z.safeParse(schema, 'text').success).toBe(false)
    },
  )

  it('read null as absent', () => {
    const { customerId, ...rest } = authorizedPayment

    expect(z.parse(schemas.PaymentSchema, { ...rest, customerId: null })).toEqual(rest)
  })

  it('name the place where something is wrong', () => {
    const result = z.safeParse(schemas.PaymentSchema, { id: 'pay_1', transactions: [{ amount: '5' }] })

    expect(result.error?.issues.map(({ path }) => path)).toEqual([['transactions', 0, 'amount']])
  })
})
