import type { StatementDay } from '../../../../schema/api/reconciliation.ts'
import { readerLocales } from '../../../reader.ts'

/** Stripe's amounts are in the smallest unit of their currency, of which most have a hundred. */
export function formatMinor(amount_minor: number, currency: string): string {
  const format = new Intl.NumberFormat(readerLocales, { style: 'currency', currency })
  return format.format(amount_minor / 10 ** (format.resolvedOptions().maximumFractionDigits ?? 2))
}

/** The currencies of the days, in order of the alphabet. */
export function currenciesOf(days: readonly StatementDay[]): readonly string[] {
  return [...new Set(days.flatMap(({ money }) => money ?? []).map(({ currency }) => currency))].sort()
}

/** The sums of the numbers that all of them have under the same name. */
export function sumsOf<Name extends string>(
  rows: readonly Readonly<Record<Name, number>>[],
  names: readonly Name[],
): Readonly<Record<Name, number>> {
  const sums = names.map((name) => [name, rows.reduce((sum, row) => sum + row[name], 0)])
  return Object.fromEntries(sums) as Record<Name, number>
}
