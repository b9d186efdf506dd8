import type { StatementDay } from '../../../../schema/api/reconciliation.ts'
import { formatDate } from '../../../components/format.ts'
import { readerLocales } from '../../../reader.ts'

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

/** Days and months end at midnight UTC. */
export type Period = { day: string } | { month: string }

/** What the address names, or the present month. */
export function readPeriod(search: URLSearchParams, now = new Date()): Period {
  const [day, month] = [search.get('day'), search.get('month')]
  if (day && isDate(day)) return { day }
  return { month: month && isDate(`${month}-01`) ? month : now.toISOString().slice(0, 7) }
}

function isDate(text: string): boolean {
  return /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text))
}

/** The period `steps` days or months later: for `2026-12`, 1 is `2027-01`. */
export function periodAfter(period: Period, steps: number): Period {
  const [year = 0, month = 1, day = 1] = ('day' in period ? period.day : period.month).split('-').map(Number)
  const later = (months: number, days: number) =>
    new Date(Date.UTC(year, month - 1 + months, day + days)).toISOString()
  return 'day' in period ? { day: later(0, steps).slice(0, 10) } : { month: later(steps, 0).slice(0, 7) }
}

const monthFormat = new Intl.DateTimeFormat(readerLocales, {
  month: 'long',
  year: 'numeric',
  timeZone: 'UTC',
})

export function periodName(period: Period): string {
  return 'day' in period ? formatDate(period.day) : monthFormat.format(new Date(`${period.month}-01`))
}
