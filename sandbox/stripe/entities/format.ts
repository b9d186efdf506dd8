/** An amount in minor units as people write it: 700 eur is €7.00, 700 jpy is ¥700. */
export function formatMoney({ amount, currency }: { amount: number; currency: string }): string {
  const format = new Intl.NumberFormat('en', { style: 'currency', currency: currency.toUpperCase() })
  return format.format(amount / 10 ** (format.resolvedOptions().maximumFractionDigits ?? 2))
}

const format = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'UTC' })

/** "15 Jan 2026", in UTC as everything here. */
export function formatDay(seconds: number): string {
  return format.format(seconds * 1000)
}
