import { erasedText } from '../../schema/api/credits.ts'
import type { QueryOf, ResponseOf } from '../../schema/api/endpoint.ts'
import {
  type BalanceChange,
  type Cause,
  type CauseFormat,
  type CauseKind,
  type CreditCategory,
  describeCause,
  explainBalance,
  explanationColumns,
  exportExplanation,
  type PendingCredits,
} from '../../schema/api/explanation.ts'
import { type Editors, editorOfScheme } from '../../schema/api/redirect-uri.ts'
import { inSnapshot, type ReadDatabase } from '../../schema/database/connect.ts'
import { kindOf } from '../../schema/ledger/accounts.ts'
import {
  type Change,
  type Credits,
  explainBalance as readExplanation,
} from '../../schema/ledger/read/explanation.ts'
import { listOpenHolds, type OpenHold } from '../../schema/ledger/read/open-holds.ts'
import { listNames } from '../../schema/people/users/users.ts'
import { csvLine } from '../csv.ts'
import type { Dependencies } from '../dependencies.ts'
import { invalidCursor } from '../errors.ts'
import { addDays, openCalendar } from '../local-days.ts'
import { thePayer } from '../rights.ts'
import { route } from '../route.ts'
import { TextFile } from '../text-file.ts'

export const explanationRoutes = [
  // As the history: see decision 093.
  route(explainBalance, {
    rights: thePayer({ doing: 'view the credit history' }),
  }).handle(({ query, owner_id }, deps) => readExplanationPage(deps, owner_id, query)),

  route(exportExplanation, {
    rights: thePayer({ doing: 'export the credit history' }),
  }).handle(async ({ query, owner_id }, { db, now }) => {
    const { until, as_of } = momentOf(query, now())
    const { dateOf } = openCalendar(query.time_zone)
    const selected = { until, dateOf, matches: searchOf(query) }
    return new TextFile(`transactions-${dateOf(as_of)}.csv`, csvOf(db, owner_id, selected))
  }),
]

/** One page of the explained balance, for its owner and for support. */
export async function readExplanationPage(
  { db, now, settings }: Pick<Dependencies, 'db' | 'now' | 'settings'>,
  owner_id: string,
  query: Omit<QueryOf<typeof explainBalance>, 'payer'>,
): Promise<ResponseOf<typeof explainBalance>> {
  const before = query.cursor === undefined ? undefined : decodeCursor(query.cursor)
  const { until, as_of } = momentOf(query, now())
  const page = { limit: query.limit, until, before, matches: searchOf(query) }
  const isPresent = until === undefined && before === undefined && !page.matches
  const { closing, changes, opening, next, holds } = await inSnapshot(db, async (trx) => ({
    ...(await readExplanation(trx, owner_id, page)),
    holds: isPresent ? await listOpenHolds(trx, owner_id) : [],
  }))
  return {
    success: true,
    data: {
      as_of: as_of.toISOString(),
      is_now: until === undefined,
      balance: withTotal(closing),
      pending: await presentHolds(db, owner_id, { holds, editors: settings.editors }),
      items: await presentChanges(db, owner_id, changes),
      opening: withTotal(opening),
      next_cursor: next === null ? null : String(next),
    },
  }
}

/** A day that is not over is explained up to now, with all that was posted. */
function momentOf(
  { date, time_zone }: { readonly date?: string | undefined; readonly time_zone: string },
  now: Date,
): { until: Date | undefined; as_of: Date } {
  if (date === undefined) return { until: undefined, as_of: now }
  const until = openCalendar(time_zone).startOf(addDays(date, 1))
  return until > now ? { until: undefined, as_of: now } : { until, as_of: new Date(until.getTime() - 1) }
}

/** Undefined when everything is wanted. */
function searchOf({ category, q }: Pick<QueryOf<typeof explainBalance>, 'category' | 'q'>) {
  if (!category && !q) return undefined
  const text = q?.toLowerCase() ?? ''
  // As people write numbers: 1,500 and 1.500 are one amount, with a sign or without.
  const credits = /^[+−-]?\d{1,3}([.,'’\s]?\d{3})*$/.test(text) ? Number(text.replaceAll(/\D/g, '')) : null
  return (change: Change): boolean => {
    const cause = causeOf(change)
    if (category && categoryOf[cause.kind] !== category) return false
    const { plan, purchased } = change.change
    if (credits !== null && [plan, purchased, plan + purchased].some((one) => Math.abs(one) === credits))
      return true
    const said = [describeCause(cause, plainFormat).what, cause.note, cause.model, cause.project]
    return said.join(' ').toLowerCase().includes(text)
  }
}

const categoryOf: Readonly<Record<CauseKind, CreditCategory>> = {
  purchase: 'purchase',
  purchase_withdrawn: 'correction',
  plan_month: 'plan',
  plan_month_shortened: 'plan',
  seats_added: 'plan',
  late_month: 'plan',
  usage: 'usage',
  usage_moved: 'usage',
  expiry: 'expiry',
  expiry_reversed: 'expiry',
  write_off: 'expiry',
  write_off_reversed: 'expiry',
  refund: 'refund',
  refund_reversed: 'refund',
  dispute: 'refund',
  dispute_won: 'refund',
  correction: 'correction',
}

async function presentChanges(
  db: ReadDatabase,
  owner_id: string,
  changes: readonly Change[],
): Promise<BalanceChange[]> {
  const usages = changes.filter(({ kind }) => kind === 'usage')
  const nameOf = await readNames(db, owner_id, usages)
  return changes.map((change) => ({
    id: String(change.transfer_id),
    occurred_at: change.occurred_at.toISOString(),
    cause: { ...causeOf(change), by: change.kind === 'usage' ? nameOf(change.actor) : null },
    change: withTotal(change.change),
    balance_after: withTotal(change.after),
  }))
}

async function presentHolds(
  db: ReadDatabase,
  owner_id: string,
  { holds, editors }: { readonly holds: readonly OpenHold[]; readonly editors: Editors },
): Promise<PendingCredits[]> {
  const nameOf = await readNames(db, owner_id, holds)
  return holds.map(({ id, credits, expires_at, reason, actor, model, project, scheme }) => ({
    id,
    credits,
    expires_at: expires_at?.toISOString() ?? null,
    note: reason ?? erasedText,
    by: nameOf(actor),
    model,
    project,
    editor: editorOfScheme(scheme, editors),
  }))
}

/** An organization's admins read who has used its credits, by name. */
async function readNames(
  db: ReadDatabase,
  owner_id: string,
  used: readonly { readonly actor: string }[],
): Promise<(actor: string) => string | null> {
  const actors = kindOf(owner_id) === 'organization' ? used.map(({ actor }) => actor) : []
  const names = await listNames(db, actors)
  return (actor) => {
    const user = names.get(actor)
    return user ? (user.name ?? user.email) : null
  }
}

function withTotal({ plan, purchased }: Credits) {
  return { plan, purchased, total: plan + purchased }
}

function causeOf(change: Change): Cause {
  const {
    failure,
    cost_thousandths,
    reason,
    model,
    project,
    is_above_hold,
    starts_at,
    ends_at,
    document_id,
  } = change
  const { bought: credits, amount_minor, currency, paid_at } = change
  const kind = causeKindOf(change)
  const hasNote = kind === 'usage' || kind === 'correction'
  return {
    kind,
    failure,
    cost_thousandths,
    note: hasNote ? (reason ?? erasedText) : null,
    model,
    project,
    is_above_hold,
    by: null,
    month: starts_at && ends_at && { starts_at: starts_at.toISOString(), ends_at: ends_at.toISOString() },
    purchase:
      credits !== null && amount_minor !== null && currency !== null
        ? { credits, amount_minor, currency, paid_at: paid_at?.toISOString() ?? null }
        : null,
    document_id,
  }
}

function causeKindOf({ kind, change, grant_kind }: Change): CauseKind {
  const isTaken = change.plan + change.purchased < 0
  switch (kind) {
    case 'credit_purchase':
      return 'purchase'
    case 'withdrawal':
      return 'purchase_withdrawn'
    case 'plan_grant':
      if (grant_kind === 'late_month') return 'late_month'
      return isTaken ? 'plan_month_shortened' : 'plan_month'
    case 'seat_grant':
      return isTaken ? 'plan_month_shortened' : 'seats_added'
    case 'refund':
      return isTaken ? 'refund' : 'refund_reversed'
    case 'expiry':
      return isTaken ? 'expiry' : 'expiry_reversed'
    case 'write_off':
      return isTaken ? 'write_off_reversed' : 'write_off'
    case 'adjustment':
      return 'correction'
    default:
      return kind
  }
}

const plainFormat: CauseFormat = {
  day: (iso) => iso.slice(0, 10),
  credits: (amount) => String(amount),
  money: (amount_minor, currency) => `${currency} ${(amount_minor / 100).toFixed(2)}`,
}

const exportPage = 1000

/** Reads a page when the one before it has been sent. */
async function* csvOf(
  db: ReadDatabase,
  owner_id: string,
  {
    until,
    dateOf,
    matches,
  }: {
    until: Date | undefined
    dateOf: (moment: Date) => string
    matches: ReturnType<typeof searchOf>
  },
): AsyncGenerator<string> {
  const format = { ...plainFormat, day: (iso: string) => dateOf(new Date(iso)) }
  let head = csvLine(explanationColumns)
  let before: number | undefined
  do {
    const page = await inSnapshot(db, (snapshot) =>
      readExplanation(snapshot, owner_id, { limit: exportPage, until, before, matches }),
    )
    const changes = await presentChanges(db, owner_id, page.changes)
    yield head + changes.map((change) => csvLine(cellsOf(change, format))).join('')
    head = ''
    before = page.next ?? undefined
  } while (before)
}

function cellsOf({ occurred_at, cause, change, balance_after }: BalanceChange, format: CauseFormat) {
  const { what, why } = describeCause(cause, format)
  const { plan, purchased, total } = balance_after
  return [occurred_at, what, why, change.plan, change.purchased, plan, purchased, total, cause.document_id]
}

function decodeCursor(cursor: string): number {
  if (!/^\d{1,15}$/.test(cursor)) throw invalidCursor()
  return Number(cursor)
}
