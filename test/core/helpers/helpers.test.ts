import { execFileSync } from 'node:child_process'
import { pathToFileURL } from 'node:url'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  formatAmount,
  isFinal,
  latestRefund,
  minorUnits,
  type Payment,
  RequestValidationError,
  remainingCapturable,
  remainingRefundable,
  toDate,
} from '../../../src/index.js'
import { bundled } from '../../support/bundle.js'

describe('toDate', () => {
  it.each([
    ['2023-02-21T15:36:16.367687', '2023-02-21T15:36:16.367Z'],
    ['2023-02-21T15:36:16.5', '2023-02-21T15:36:16.500Z'],
    ['2023-02-21T15:36:16', '2023-02-21T15:36:16.000Z'],
    ['2023-02-21T15:36', '2023-02-21T15:36:00.000Z'],
    ['2023-02-21 15:36:16.367687', '2023-02-21T15:36:16.367Z'],
    ['2023-02-21', '2023-02-21T00:00:00.000Z'],
    ['2023-02-21T15:36:16Z', '2023-02-21T15:36:16.000Z'],
    ['2023-02-21T15:36:16.367687z', '2023-02-21T15:36:16.367Z'],
    ['2023-02-21T15:36:16+02:00', '2023-02-21T13:36:16.000Z'],
    ['2023-02-21T15:36:16-0530', '2023-02-21T21:06:16.000Z'],
    [' 2023-02-21T15:36:16 ', '2023-02-21T15:36:16.000Z'],
    ['2024-02-29T23:59:59.999', '2024-02-29T23:59:59.999Z'],
  ])('parses the datetime %j', (text, expected) => {
    expect(toDate(text).toISOString()).toBe(expected)
  })

  it.each([
    '',
    'yesterday',
    'on 2023-02-21',
    '2023-02-21T',
    '2023-02-30',
    '2023-02-21T25:00:00',
    '21.02.2023',
    '1676993776',
  ])('rejects the string %j', (text) => {
    expect(() => toDate(text)).toThrow('datetime must be an ISO 8601 datetime')
  })

  it.each([null, undefined, 5, {}])('rejects the value %j', (value) => {
    expect(() => toDate(value as never)).toThrow(RequestValidationError)
  })

  it('reads every datetime without a zone as UTC', () => {
    const instant = fc.date({ min: new Date('0001-01-01'), max: new Date('9999-12-31'), noInvalidDate: true })

    fc.assert(fc.property(instant, (date) => toDate(date.toISOString().replace('Z', '')).getTime() === date.getTime()))
  })

  it.each(['UTC', 'America/Los_Angeles', 'Pacific/Kiritimati'])(
    'returns the same date if the process runs in the time zone %s',
    async (zone) => {
      const source = pathToFileURL(await bundled('src/core/helpers/dates.ts')).href
      const program = `
      const { toDate } = await import(${JSON.stringify(source)})
      console.log(toDate('2023-02-21T15:36:16').toISOString(), new Date(2023, 1, 21).getTimezoneOffset())`

      const printed = execFileSync(process.execPath, ['--input-type=module', '--eval', program], {
        env: { ...process.env, TZ: zone },
        encoding: 'utf8',
      })

      const offsets: Record<string, number> = { UTC: 0, 'America/Los_Angeles': 480, 'Pacific/Kiritimati': -840 }
      expect(printed.trim()).toBe(`2023-02-21T15:36:16.000Z ${offsets[zone]}`)
    },
  )
})

describe('minorUnits', () => {
  it.each([
    ['7.00', 'USD', 700],
    ['7', 'USD', 700],
    ['7.5', 'EUR', 750],
    ['0.01', 'EUR', 1],
    ['700', 'JPY', 700],
    ['700.00', 'JPY', 700],
    ['1.234', 'KWD', 1234],
    ['1.2345', 'CLF', 12345],
    ['1.230', 'EUR', 123],
    ['90071992547409.91', 'USD', Number.MAX_SAFE_INTEGER],
    [' 7.00 ', 'USD', 700],
    [7.1, 'USD', 710],
  ])('converts %j in %s to %i minor units', (amount, currency, expected) => {
    expect(minorUnits(amount, currency)).toBe(expected)
  })

  it.each([
    ['7.001', 'USD', 'amount must not have more than 2 decimals'],
    ['700.5', 'JPY', 'amount must not have more than 0 decimals'],
    [0.1 + 0.2, 'USD', 'amount must not have more than 2 decimals'],
    ['90071992547409.92', 'USD', 'amount is too large to be exact'],
    ['-7.00', 'USD', 'amount must be a decimal number of at least 0'],
    ['7,00', 'USD', 'amount must be a decimal number'],
    ['.5', 'USD', 'amount must be a decimal number'],
    ['5.', 'USD', 'amount must be a decimal number'],
    ['1e3', 'USD', 'amount must be a decimal number'],
    ['', 'USD', 'amount must be a decimal number'],
    [Number.NaN, 'USD', 'amount must be a decimal number'],
    ['7.00', 'usd', 'currencyCode must be a three-letter ISO 4217 code'],
    ['7.00', undefined, 'currencyCode must be a three-letter ISO 4217 code'],
  ])('rejects the amount %j in %s', (amount, currency, message) => {
    expect(() => minorUnits(amount, currency as string)).toThrow(message)
  })
})

describe('formatAmount', () => {
  it.each([
    [700, 'USD', undefined, '$7.00'],
    [700, 'JPY', undefined, '¥700'],
    [1234, 'KWD', undefined, 'KWD\u00a01.234'],
    [-1050, 'USD', undefined, '-$10.50'],
    [123_456_789, 'USD', undefined, '$1,234,567.89'],
    [Number.MAX_SAFE_INTEGER, 'USD', undefined, '$90,071,992,547,409.91'],
    [123_456, 'EUR', 'de-DE', '1.234,56\u00a0€'],
    [700, 'JPY', 'ja-JP', '￥700'],
  ])('formats %i %s with the locale %s as %s', (amount, currency, locale, expected) => {
    expect(formatAmount(amount, currency, { locale })).toBe(expected)
  })

  it.each([0.5, Number.NaN, 2 ** 53, '700', undefined])('rejects the amount %j', (amount) => {
    expect(() => formatAmount(amount as number, 'USD')).toThrow('amount must be an integer')
  })

  it.each(['', 'x', 'en_US', 'not a language', 5, null, ['en'], ['en', 'de']])('rejects the locale %j', (locale) => {
    expect(() => formatAmount(700, 'USD', { locale: locale as string })).toThrow(
      'locale must be a BCP 47 language tag, such as en or de-CH',
    )
  })

  it.each([
    [{ local: 'de' }, 'local is not an option: did you mean "locale"?'],
    [{ locale: 'de', currencyDisplay: 'code' }, 'currencyDisplay is not an option'],
  ])('rejects the options %j', (options, message) => {
    expect(() => formatAmount(700, 'USD', options as object)).toThrow(message)
  })

  it.each(['', 'usd', 'DOLLAR', undefined, ['EUR']])('rejects the currency %j', (currency) => {
    expect(() => formatAmount(700, currency as string)).toThrow(RequestValidationError)
  })

  it.each(['USD', 'JPY', 'KWD', 'CLF'])('formats an amount in %s that minorUnits can convert back', (currency) => {
    fc.assert(
      fc.property(fc.maxSafeNat(), (amount) => {
        const text = formatAmount(amount, currency).replace(/[^\d.]/g, '')
        return minorUnits(text, currency) === amount
      }),
    )
  })
})

describe('isFinal', () => {
  it.each(['SETTLED', 'DECLINED', 'FAILED', 'CANCELLED'])('treats the status %s as final', (status) => {
    expect(isFinal(status)).toBe(true)
  })

  it.each(['PENDING', 'AUTHORIZED', 'SETTLING', 'PARTIALLY_SETTLED', 'SOMETHING_NEW', '', 'settled', 'toString'])(
    'does not treat the status %j as final',
    (status) => {
      expect(isFinal(status)).toBe(false)
    },
  )
})

describe('remainingRefundable', () => {
  const refund = (amount: number | undefined, processorStatus = 'SETTLED') => ({
    transactionType: 'REFUND',
    amount,
    processorStatus,
  })

  /** A payment with 500 captured. */
  const captured = (amountRefunded?: number, transactions?: Payment['transactions']) => ({
    processor: { amountCaptured: 500, ...(amountRefunded !== undefined && { amountRefunded }) },
    ...(transactions && { transactions }),
  })
  const sale = { transactionType: 'SALE', amount: 500 }

  it.each<[string, Partial<Payment>, number | undefined]>([
    ['the captured amount if nothing was refunded', captured(0), 500],
    ['the remaining amount after a refund', captured(200), 300],
    ['0 after a full refund', captured(500), 0],
    ['0 if more was refunded than captured', captured(600), 0],
    ['the remaining amount while a refund is pending', captured(0, [refund(200, 'PENDING')]), 300],
    ['the captured amount after a failed refund', captured(0, [refund(200, 'FAILED')]), 500],
    ['the captured amount after a declined refund', captured(0, [refund(200, 'DECLINED')]), 500],
    ['a sum of the transactions if amountRefunded is absent', captured(undefined, [sale, refund(200)]), 300],
    ['undefined if amountRefunded and transactions are absent', captured(), undefined],
    ['undefined if amountCaptured is absent', { amount: 500, status: 'SETTLED' }, undefined],
    ['undefined if only amountRefunded is present', { processor: { amountRefunded: 200 } }, undefined],
  ])('returns %s', (_what, payment, expected) => {
    expect(remainingRefundable({ id: 'pay_1', ...payment })).toBe(expected)
  })

  it.each([
    [undefined, 'PENDING'],
    [null as never, 'PENDING'],
    [-200, 'PENDING'],
    [undefined, 'SETTLED'],
    [-200, 'SETTLED'],
  ])('returns undefined if a refund has the invalid amount %j and the status %s', (amount, status) => {
    const transactions = [refund(100), refund(amount, status)]
    for (const amountRefunded of [undefined, 0, 100]) {
      const processor = { amountCaptured: 500, ...(amountRefunded !== undefined && { amountRefunded }) }

      expect(remainingRefundable({ id: 'pay_1', processor, transactions })).toBeUndefined()
    }
  })

  it('returns undefined if amountRefunded is negative', () => {
    expect(remainingRefundable({ id: 'pay_1', processor: { amountCaptured: 500, amountRefunded: -1 } })).toBeUndefined()
  })
})

describe('remainingCapturable', () => {
  /** A payment of 500 with this captured amount. */
  const capturedOf = (status: string, amountCaptured: number) => ({
    status,
    amount: 500,
    processor: { amountCaptured },
  })

  it.each<[string, Partial<Payment>, number | undefined]>([
    ['the authorized amount', { status: 'AUTHORIZED', amount: 500 }, 500],
    ['the remaining amount after a capture', capturedOf('AUTHORIZED', 200), 300],
    ['the remaining amount while the payment settles', capturedOf('SETTLING', 200), 300],
    ['0 after a full capture', capturedOf('SETTLED', 500), 0],
    ['0 if more was captured than authorized', capturedOf('SETTLED', 600), 0],
    ['the authorized amount if amountCaptured is negative', capturedOf('AUTHORIZED', -100), 500],
    ['0 for a declined payment', { status: 'DECLINED', amount: 500 }, 0],
    ['0 for a failed payment', { status: 'FAILED', amount: 500 }, 0],
    ['0 for a cancelled payment', { status: 'CANCELLED', amount: 500 }, 0],
    ['undefined if the amount is absent', { status: 'AUTHORIZED' }, undefined],
    ['undefined if the captured amount is absent', { status: 'SETTLED', amount: 500 }, undefined],
    ['undefined for an empty object', {}, undefined],
  ])('returns %s', (_what, payment, expected) => {
    expect(remainingCapturable({ id: 'pay_1', ...payment })).toBe(expected)
  })
})

describe('latestRefund', () => {
  const aTransaction = (transactionType: string, processorTransactionId: string, date?: string) => ({
    transactionType,
    processorTransactionId,
    date,
  })
  const refund = (id: string, date?: string) => aTransaction('REFUND', id, date)
  const sale = (date: string) => aTransaction('SALE', 's', date)

  it.each([
    ['the only refund', [sale('2026-03-01'), refund('r1', '2026-03-02')], 'r1'],
    ['the most recent refund, in any position', [refund('r2', '2026-03-03'), refund('r1', '2026-03-02')], 'r2'],
    ['the refund instead of a later sale', [refund('r1', '2026-03-02'), sale('2026-03-09')], 'r1'],
    ['the last of two refunds without a date', [refund('r1'), refund('r2')], 'r2'],
    [
      'the last of two refunds at the same time',
      [refund('r1', '2026-03-02T10:00:00'), refund('r2', '2026-03-02T10:00:00Z')],
      'r2',
    ],
    [
      'the most recent refund, in any date format',
      [refund('r1', '2026-03-02 10:00:00.000002'), refund('r2', '2026-03-02T09:59:59.9Z')],
      'r1',
    ],
    [
      'the later of two refunds in the same second',
      [refund('r2', '2026-03-02T10:00:00.500Z'), refund('r1', '2026-03-02T10:00:00Z')],
      'r2',
    ],
    ['the only refund with a valid date', [refund('r1', '2026-03-02'), refund('r2', 'n/a')], 'r1'],
    ['undefined without a refund', [sale('2026-03-01')], undefined],
    ['undefined without transactions', undefined, undefined],
  ])('returns %s', (_what, transactions, expected) => {
    expect(latestRefund({ id: 'pay_1', transactions })?.processorTransactionId).toBe(expected)
  })
})
