import { getUsageSummary } from '../../schema/api/credits.ts'
import type { QueryOf, ResponseOf } from '../../schema/api/endpoint.ts'
import { type PeriodSums, sumPeriods } from '../../schema/ledger/read/period-sums.ts'
import type { Dependencies } from '../dependencies.ts'
import { addDays, monthOf, openCalendar } from '../local-days.ts'
import { thePayer } from '../rights.ts'
import { route } from '../route.ts'

export const creditsRoutes = [
  route(getUsageSummary, { rights: thePayer() }).handle(({ query, owner_id }, deps) =>
    readUsageSummary(deps, owner_id, query),
  ),
]

/** The sums of an owner's usage, for the owner and for support. */
export async function readUsageSummary(
  { db, now }: Pick<Dependencies, 'db' | 'now'>,
  owner_id: string,
  query: Pick<QueryOf<typeof getUsageSummary>, 'time_zone' | 'days'>,
): Promise<ResponseOf<typeof getUsageSummary>> {
  const { dateOf, startOf } = openCalendar(query.time_zone)
  const today = dateOf(now())
  const firstDay = addDays(today, 1 - query.days)
  const lastMonth = monthOf(today, -1)
  const [earliest = today] = [firstDay, lastMonth].toSorted()
  const dates: string[] = []
  for (let date = earliest; date <= today; date = addDays(date, 1)) dates.push(date)
  const sums = await sumPeriods(db, owner_id, dates.map(startOf))
  const all = sums.map((sum, index) => ({ date: dates[index] ?? today, ...sum }))
  const days = all.filter(({ date }) => date >= firstDay)
  const inMonth = (month: string) => total(all.filter(({ date }) => monthOf(date) === month))
  return {
    success: true,
    data: {
      time_zone: query.time_zone,
      days,
      this_month: inMonth(monthOf(today)),
      last_month: inMonth(lastMonth),
      daily_average: Math.round((total(days).used / query.days) * 10) / 10,
    },
  }
}

function total(sums: readonly PeriodSums[]): PeriodSums {
  return {
    used: sums.reduce((sum, { used }) => sum + used, 0),
    granted: sums.reduce((sum, { granted }) => sum + granted, 0),
  }
}
