import { RequestValidationError } from '../errors.js'
import { unknownName } from '../internal/suggestions.js'
import type { CurrencyCode } from '../schemas/scalars.js'

/** Minor digits where they are not two. ISO 4217; `Intl` differs from it for some. */
const minorDigits: Readonly<Record<string, number>> = {
  BIF: 0,
  CLP: 0,
  DJF: 0,
  GNF: 0,
  ISK: 0,
  JPY: 0,
  KMF: 0,
  KRW: 0,
  PYG: 0,
  RWF: 0,
  UGX: 0,
  UYI: 0,
  VND: 0,
  VUV: 0,
  XAF: 0,
  XOF: 0,
  XPF: 0,
  BHD: 3,
  IQD: 3,
  JOD: 3,
  KWD: 3,
  LYD: 3,
  OMR: 3,
  TND: 3,
  CLF: 4,
  UYW: 4,
}

/**
 * An amount in minor units: `minorUnits('7.00', 'USD')` is 700, `minorUnits('700', 'JPY')` is 700.
 *
 * @param amount In major units, with a point for the decimals. Best as text: the number `0.1 + 0.2` is not `0.3`, and is refused.
 * @throws {RequestValidationError} More decimals than the currency has, not a number, negative, or too large to be exact.
 */
export function minorUnits(amount: string | number, currencyCode: CurrencyCode): number {
  const digits = digitsOf(currencyCode)
  const [, whole = '', fraction = ''] = /^(\d+)(?:\.(\d+))?$/.exec(String(amount).trim()) ?? []
  if (whole === '') refuse('amount', 'must be a decimal number that is not negative, such as 7.00')
  if (/[1-9]/.test(fraction.slice(digits))) refuse('amount', `must not have more than ${digits} decimals`)
  const units = Number(whole + fraction.slice(0, digits).padEnd(digits, '0'))
  return Number.isSafeInteger(units) ? units : refuse('amount', 'is too large to be exact')
}

/**
 * An amount as people read it, as `Intl.NumberFormat` writes it: `formatAmount(700, 'USD')` is `$7.00`.
 *
 * @param amount Minor units.
 * @param options.locale A BCP 47 language tag. @default 'en'
 * @throws {RequestValidationError} The amount is no safe integer.
 */
export function formatAmount(amount: number, currencyCode: CurrencyCode, options: { locale?: string } = {}): string {
  if (!Number.isSafeInteger(amount)) refuse('amount', 'must be an integer')
  const digits = digitsOf(currencyCode)
  const { locale = 'en', ...others } = options
  for (const name of Object.keys(others)) refuse(name, unknownName(name, ['locale']))
  if (!isLocale(locale)) refuse('locale', 'must be a BCP 47 language tag, such as en or de-CH')
  const format = new Intl.NumberFormat(locale, {
    style: 'currency',
    currency: currencyCode,
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  })
  return format.format(decimal(amount, digits) as unknown as number)
}

/** The exact decimal as text, which `Intl` reads without rounding. */
function decimal(amount: number, digits: number): string {
  const padded = String(Math.abs(amount)).padStart(digits + 1, '0')
  const point = padded.length - digits
  const text = digits === 0 ? padded : `${padded.slice(0, point)}.${padded.slice(point)}`
  return amount < 0 ? `-${text}` : text
}

function isLocale(locale: unknown): boolean {
  try {
    return typeof locale === 'string' && Intl.getCanonicalLocales(locale).length === 1
  } catch {
    return false
  }
}

function digitsOf(currencyCode: string): number {
  if (typeof currencyCode !== 'string' || !/^[A-Z]{3}$/.test(currencyCode)) {
    refuse('currencyCode', 'must be a three-letter ISO 4217 code, such as EUR')
  }
  return Object.hasOwn(minorDigits, currencyCode) ? (minorDigits[currencyCode] as number) : 2
}

function refuse(argument: string, message: string): never {
  throw new RequestValidationError([{ path: [argument], message }])
}
