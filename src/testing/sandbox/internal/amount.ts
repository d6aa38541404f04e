import { formatAmount } from '../../../core/helpers/money.js'

/** Formats minor units with the currency's code: `€50.00 EUR`. */
export function money(amount: number | undefined, currencyCode: string | undefined): string {
  if (amount === undefined) return '–'
  if (currencyCode === undefined) return `${amount} minor units`
  try {
    const text = formatAmount(amount, currencyCode)
    return text.includes(currencyCode) ? text : `${text} ${currencyCode}`
  } catch {
    return `${amount} ${currencyCode}`
  }
}
