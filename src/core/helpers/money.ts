import { RequestValidationError } from '../errors.js'
import type { Issue } from '../internal/issues.js'
import { custom, optionsOf, requireOptions } from '../internal/validation.js'
import type { CurrencyCode } from '../schemas/schema.js'

/**
 * The currencies that do not have two digits after the decimal point. Listed here according to ISO 4217, because `Intl`
 * uses other digits for some currencies.
 */
const currenciesByDigits = {
  0: 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF',
  3: 'BHD IQD JOD KWD LYD OMR TND',
  4: 'CLF UYW',
}

/**
 * Converts an amount to minor units: `minorUnits('7.00', 'USD')` is 700, `minorUnits('700', 'JPY')` is 700.
 *
 * @param amount Major units, with a decimal point. Prefer a string: the number `0.1 + 0.2` is `0.30000000000000004`,
 * which is rejected.
 * @param currencyCode ISO 4217, for example `EUR`.
 * @throws {RequestValidationError} The amount is negative, not a number, too large to be exact, or has too many
 * decimals.
 */
export function minorUnits(amount: string | number, currencyCode: CurrencyCode): number {
  const digits = digitsOf(currencyCode)
  const [, whole = '', fraction = ''] = /^(\d+)(?:\.(\d+))?$/.exec(String(amount).trim()) ?? []
  if (whole === '') throw invalid('amount', 'must be a decimal number of at least 0, such as 7.00')
  if (/[1-9]/.test(fraction.slice(digits))) throw invalid('amount', `must not have more than ${digits} decimals`)
  const units = Number(whole + fraction.slice(0, digits).padEnd(digits, '0'))
  if (!Number.isSafeInteger(units)) throw invalid('amount', 'is too large to be exact')
  return units
}

/**
 * Formats an amount with `Intl.NumberFormat`: `formatAmount(700, 'USD')` is `$7.00`.
 *
 * @param amount Minor units.
 * @param currencyCode ISO 4217, for example `EUR`.
 * @param options.locale A BCP 47 language tag. @default 'en'
 * @throws {RequestValidationError} The amount is not a safe integer, or the currency or the locale is invalid.
 */
export function formatAmount(amount: number, currencyCode: CurrencyCode, options?: { locale?: string }): string {
  if (!Number.isSafeInteger(amount)) throw invalid('amount', 'must be an integer in minor units, such as 700 for $7.00')
  const digits = digitsOf(currencyCode)
  const fail = (issues: Issue[]) => new RequestValidationError(issues)
  const values = requireOptions(options, formatOptions, { fail })
  const format = new Intl.NumberFormat(values.locale ?? 'en', {
    style: 'currency',
    currency: currencyCode,
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  })
  return format.format(toDecimal(amount, digits) as unknown as number)
}

/**
 * Converts minor units to a decimal string of major units, such as `7.00` or `700.`. Returns a string, because `Intl`
 * formats strings without rounding.
 */
function toDecimal(amount: number, digits: number): string {
  const padded = String(Math.abs(amount)).padStart(digits + 1, '0')
  const point = padded.length - digits
  const decimal = `${padded.slice(0, point)}.${padded.slice(point)}`
  return amount < 0 ? `-${decimal}` : decimal
}

const formatOptions = optionsOf<{ locale?: string }>({
  locale: custom(isLocale, 'must be a BCP 47 language tag, such as en or de-CH', 'invalid_value'),
})

function isLocale(value: unknown): boolean {
  try {
    return typeof value === 'string' && Intl.getCanonicalLocales(value).length === 1
  } catch {
    return false
  }
}

function digitsOf(currencyCode: string): number {
  if (typeof currencyCode !== 'string' || !/^[A-Z]{3}$/.test(currencyCode)) {
    throw invalid('currencyCode', 'must be a three-letter ISO 4217 code, such as EUR')
  }
  const found = Object.entries(currenciesByDigits).find(([, currencies]) => currencies.includes(currencyCode))
  return Number(found?.[0] ?? 2)
}

function invalid(argument: string, message: string): RequestValidationError {
  return new RequestValidationError([{ path: [argument], code: 'invalid_value', message }])
}
