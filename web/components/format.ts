import { readerLocales } from '../reader.ts'

const credits = new Intl.NumberFormat(readerLocales)
const percent = new Intl.NumberFormat(readerLocales, { style: 'percent' })
const day = new Intl.DateTimeFormat(readerLocales, { month: 'short', day: 'numeric', year: 'numeric' })
const shortDay = new Intl.DateTimeFormat(readerLocales, { month: 'short', day: 'numeric' })
const utcDay = new Intl.DateTimeFormat(readerLocales, {
  month: 'short',
  day: 'numeric',
  year: 'numeric',
  timeZone: 'UTC',
})
const time = new Intl.DateTimeFormat(readerLocales, { hour: 'numeric', minute: '2-digit' })

export function formatCredits(amount: number): string {
  return credits.format(amount)
}

/** Signed, with a minus sign instead of a hyphen: `+500`, `−40`. */
export function formatCreditChange(amount: number): string {
  return `${amount < 0 ? '−' : '+'}${credits.format(Math.abs(amount))}`
}

/** A part of a whole in percent. What is there is never 0%. */
export function formatShare(share: number): string {
  return share > 0 && share < 0.01 ? `<${percent.format(0.01)}` : percent.format(share)
}

/**
 * Amounts in the smallest unit of their currency, of which most have a hundred: `formatMoney(700, 'EUR')` is
 * "€7.00", or "7,00 €".
 */
export function formatMoney(amount_minor: number, currency: string): string {
  const format = new Intl.NumberFormat(readerLocales, { style: 'currency', currency })
  return format.format(amount_minor / 10 ** (format.resolvedOptions().maximumFractionDigits ?? 2))
}

/** A day in UTC: of a date without a time, such as `2026-11-22`, the same everywhere. */
export function formatDate(iso: string): string {
  return utcDay.format(new Date(iso))
}

export function formatDay(iso: string): string {
  return day.format(new Date(iso))
}

/** Without the year, for days that are near. */
export function formatShortDay(iso: string): string {
  return shortDay.format(new Date(iso))
}

/** On one line: `4:15 AM` does not break before AM. */
export function formatTime(iso: string): string {
  return time.format(new Date(iso)).replace(/\s/g, '\u00a0')
}
