import {
  type CreditCategory,
  type CreditTransaction,
  describeArchived,
  erasedText,
  exportColumns,
  exportCreditHistory,
  getCreditHistory,
  getUsageSummary,
} from '../../schema/api/credits.ts'
import type { QueryOf, ResponseOf } from '../../schema/api/endpoint.ts'
import type { ReadDatabase } from '../../schema/database/connect.ts'
import { type Owner, type TransferKind, transferKinds } from '../../schema/ledger/accounts.ts'
import { findArchivedUntil } from '../../schema/ledger/read/archived.ts'
import {
  type HistoryCursor,
  type HistoryEntry,
  type HistoryFilter,
  listHistory,
  type PeriodSums,
  sumPeriods,
} from '../../schema/ledger/read/history.ts'
import { csvLine } from '../csv.ts'
import type { Dependencies } from '../dependencies.ts'
import { invalidCursor } from '../errors.ts'
import { addDays, monthOf, openCalendar } from '../local-days.ts'
import { chooseReads, missingSince } from '../reads.ts'
import { thePayer } from '../rights.ts'
import { route } from '../route.ts'
import { TextFile } from '../text-file.ts'

export const creditsRoutes = [
  // An organization's entries name members and payments, so only admins read them.
  route(getCreditHistory, {
    rights: thePayer({ doing: 'view the credit history' }),
  }).handle(async ({ query, owner }, deps) => {
    const before = query.cursor === undefined ? undefined : decodeCursor(query.cursor)
    const reads = await chooseReads(deps, before?.transfer_id)
    const { entries, next } = await listHistory(reads.db, owner, {
      limit: query.limit,
      before,
      filter: filterOf(query),
    })
    return {
      success: true,
      data: {
        items: entries.map(presentEntry),
        next_cursor: next && encodeCursor(next),
        missing_since: missingSince(reads, deps.now())?.toISOString() ?? null,
        archived_until: next ? null : ((await findArchivedUntil(reads.db, owner))?.toISOString() ?? null),
      },
    }
  }),

  route(exportCreditHistory, {
    rights: thePayer({ doing: 'export the credit history' }),
  }).handle(async ({ query, owner }, { reads, now }) => {
    const { db } = await reads()
    const day = now().toISOString().slice(0, 10)
    return new TextFile(`credit-history-${day}.csv`, csvOf(db, owner, filterOf(query)))
  }),

  route(getUsageSummary, { rights: thePayer() }).handle(({ query, owner }, deps) =>
    readUsageSummary(deps, owner, query),
  ),
]

const categoryOf: Readonly<Record<TransferKind, CreditCategory>> = {
  credit_purchase: 'purchase',
  plan_grant: 'plan',
  seat_grant: 'plan',
  usage: 'usage',
  usage_moved: 'usage',
  expiry: 'expiry',
  write_off: 'expiry',
  refund: 'refund',
  dispute: 'refund',
  dispute_won: 'refund',
  withdrawal: 'adjustment',
  adjustment: 'adjustment',
}

/** The sums of an owner's usage, for the owner and for support. */
export async function readUsageSummary(
  { reads, now }: Pick<Dependencies, 'reads' | 'now'>,
  owner: Owner,
  query: Pick<QueryOf<typeof getUsageSummary>, 'time_zone' | 'days'>,
): Promise<ResponseOf<typeof getUsageSummary>> {
  const { db } = await reads()
  const { dateOf, startOf } = openCalendar(query.time_zone)
  const today = dateOf(now())
  const firstDay = addDays(today, 1 - query.days)
  const lastMonth = monthOf(today, -1)
  const [earliest = today] = [firstDay, lastMonth].toSorted()
  const dates: string[] = []
  for (let date = earliest; date <= today; date = addDays(date, 1)) dates.push(date)
  const sums = await sumPeriods(db, owner, dates.map(startOf))
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

function filterOf({ category, q }: Pick<QueryOf<typeof getCreditHistory>, 'category' | 'q'>): HistoryFilter {
  return {
    kinds: category && transferKinds.filter((kind) => categoryOf[kind] === category),
    text: q || undefined,
  }
}

function presentEntry(entry: HistoryEntry): CreditTransaction {
  return {
    id: `${entry.transfer_id}.${entry.account_id}`,
    amount: entry.amount,
    type: entry.amount > 0 ? 'grant' : 'usage',
    kind: entry.kind,
    category: categoryOf[entry.kind],
    account: entry.account,
    description: entry.reason ?? erasedText,
    balance_after: entry.balance_after,
    created_at: entry.occurred_at.toISOString(),
    reference_id: entry.paid_by,
  }
}

const exportPage = 1000

/** Reads a page when the one before it has been sent. */
async function* csvOf(db: ReadDatabase, owner: Owner, filter: HistoryFilter): AsyncGenerator<string> {
  let head = csvLine(exportColumns)
  let before: HistoryCursor | undefined
  do {
    const page = await listHistory(db, owner, { limit: exportPage, before, filter })
    yield head + page.entries.map((entry) => csvLine(cellsOf(entry))).join('')
    head = ''
    before = page.next ?? undefined
  } while (before)
  const archived = (await findArchivedUntil(db, owner))?.toISOString()
  if (archived) {
    yield csvLine([archived, 'archived', describeArchived(archived.slice(0, 10)), null, null, null, null])
  }
}

function cellsOf(entry: HistoryEntry) {
  const { created_at, category, description, amount, balance_after, account, reference_id } =
    presentEntry(entry)
  return [created_at, category, description, amount, balance_after, account, reference_id]
}

function total(sums: readonly PeriodSums[]): PeriodSums {
  return {
    used: sums.reduce((sum, { used }) => sum + used, 0),
    granted: sums.reduce((sum, { granted }) => sum + granted, 0),
  }
}

function encodeCursor({ transfer_id, account_id }: HistoryCursor): string {
  return Buffer.from(`${transfer_id}.${account_id}`).toString('base64url')
}

function decodeCursor(cursor: string): HistoryCursor {
  const ids = /^(\d{1,16})\.(\d{1,15})$/.exec(Buffer.from(cursor, 'base64url').toString())
  if (!ids) throw invalidCursor()
  return { transfer_id: Number(ids[1]), account_id: Number(ids[2]) }
}
