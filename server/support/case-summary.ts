import type { CaseSummary } from '../../schema/api/support.ts'
import type { GrantDue } from '../../schema/billing/position/position.ts'
import { readOwnerBalanceSheet } from '../../schema/billing/position/read-owner.ts'
import type { DatabaseTransaction } from '../../schema/database/connect.ts'
import { findHeartbeat } from '../../schema/inbox/cursors/cursors.ts'
import { kindOf } from '../../schema/ledger/accounts.ts'
import { findBalance } from '../../schema/ledger/read/balances.ts'
import { findPlanTypes, findSeatFigures } from '../../schema/support/figures.ts'
import { countUnapplied, listHolders, listNotices } from '../../schema/support/notices.ts'
import { listProblemsOf, type ProblemRow } from '../../schema/support/problems.ts'
import { findIntentRows, keyOf, listSubjects, type TimelineRow } from '../../schema/support/timeline.ts'
import type { Settings } from '../settings.ts'
import { readComparison } from './ask-stripe.ts'
import { itemOf } from './items.ts'

type IntentRow = TimelineRow<'intent'>
type EventRow = TimelineRow<'event'>

/** Credits that a grant should have had by now and has not, or has too many of. */
interface GrantDifference {
  readonly grant: Pick<
    GrantDue,
    'id' | 'kind' | 'account' | 'intent_id' | 'stripe_subscription_id' | 'starts_at'
  >
  readonly is: number
  readonly should: number
  /** A checkout that was paid by an event which could not be applied. */
  readonly event: EventRow | null
}

/**
 * The expected and the actual state of one owner. The facts are the stored ones, and those of signed events
 * that could not be applied: a session that was paid is paid, whatever became of its event. The caller's
 * transaction is a snapshot.
 */
export async function readCaseSummary(
  trx: DatabaseTransaction,
  owner_id: string,
  options: { readonly settings: Settings; readonly now: Date; readonly stuck_before: Date },
): Promise<CaseSummary> {
  const { settings, now, stuck_before } = options
  const subjects = await listSubjects(trx, owner_id)
  const sheet = await readOwnerBalanceSheet(trx, owner_id, now)
  const asked = { owner_id, subjects, now }
  const rows = await listProblemsOf(trx, asked, stuck_before)
  const inBooks = new Map(sheet.books.grants.map((grant) => [grant.id, grant]))
  const missing = Map.groupBy(sheet.difference.transfers, ({ grant }) => grant.id)
  const booked = [...missing].flatMap(([id, transfers]): GrantDifference[] => {
    const [first] = transfers
    const known = inBooks.get(id)
    const is = known
      ? known.gross - known.refunded - known.disputed + known.expired + known.written_off + known.adjusted
      : 0
    const credits = transfers.reduce((sum, transfer) => sum + transfer.credits, 0)
    return first && credits !== 0
      ? [{ grant: first.grant, is, should: is + credits, event: eventOf(rows, first.grant.intent_id) }]
      : []
  })
  const intents = await findIntentRows(trx, [
    ...booked.map(({ grant }) => grant.intent_id),
    ...rows.map((row) => (row.kind === 'event' ? row.data.intent_id : null)),
  ])
  const differences = [...booked, ...paidButUnfinished(rows, intents)]
  const missingIn = (account: 'plan' | 'purchased') =>
    differences
      .filter(({ grant }) => grant.account === account)
      .reduce((sum, { is, should }) => sum + should - is, 0)
  const balance = (account: 'plan' | 'purchased') => {
    const is = sheet.books[account].balance
    return { is, should: is + missingIn(account) }
  }
  const plan = balance('plan')
  const purchased = balance('purchased')
  const plan_type = await findPlanTypes(trx, owner_id)
  const spendable = await readSpendable(trx, owner_id)
  const explained = new Set(differences.flatMap(({ event }) => (event ? [keyOf(event)] : [])))
  const failing = rows.filter((row) => !explained.has(keyOf(row)))
  const isPlanRight = plan_type.is === null || plan_type.is === plan_type.should
  return {
    as_of: now.toISOString(),
    comparison: await readComparison(trx, owner_id, now),
    worker: await findHeartbeat(trx, now),
    unapplied_events: await countUnapplied(trx, subjects),
    agrees: differences.length === 0 && failing.length === 0 && isPlanRight,
    failing: failing.map((row) => itemOf(row, settings)),
    notices: (await listNotices(trx, asked)).map((row) => itemOf(row, settings)),
    holders: await listHolders(trx, owner_id),
    plan_type,
    balance: {
      plan,
      purchased,
      total: { is: plan.is + purchased.is, should: plan.should + purchased.should },
    },
    spendable,
    grants: differences.map(({ grant, is, should, event }) => {
      const intent = intents.get(grant.intent_id ?? '')
      return {
        id: grant.id,
        kind: grant.kind,
        account: grant.account,
        starts_at: grant.starts_at?.toISOString() ?? null,
        subscription_id: grant.stripe_subscription_id,
        credits: { is, should },
        intent: intent ? itemOf(intent, settings) : null,
        event: event && itemOf(event, settings),
      }
    }),
    seats: kindOf(owner_id) === 'organization' ? await findSeatFigures(trx, owner_id) : null,
  }
}

/** A debt of one account blocks as many credits of the other. */
async function readSpendable(trx: DatabaseTransaction, owner_id: string): Promise<CaseSummary['spendable']> {
  const { plan, purchased, available, held } = await findBalance(trx, owner_id)
  return { available, held, debt: Math.max(0, -plan) + Math.max(0, -purchased) }
}

/** The failed or waiting event of a checkout, the one that says that it was paid before all others. */
function eventOf(rows: readonly ProblemRow[], intentId: string | null): EventRow | null {
  const events = rows.flatMap((row) =>
    row.kind === 'event' && intentId !== null && row.data.intent_id === intentId ? [row] : [],
  )
  return events.find(saysPaid) ?? events[0] ?? null
}

function saysPaid({ data }: EventRow): boolean {
  const isPaid = data.payment_status === 'paid' || data.payment_status === 'no_payment_required'
  return isPaid && /^checkout\.session\.(completed|async_payment_succeeded)$/.test(data.type)
}

/** Unfinished checkouts that a signed event reports as paid. */
function paidButUnfinished(
  rows: readonly ProblemRow[],
  intents: ReadonlyMap<string, IntentRow>,
): GrantDifference[] {
  const seen = new Set<string>()
  return rows.flatMap((row): GrantDifference[] => {
    if (row.kind !== 'event' || !saysPaid(row)) return []
    const intent = intents.get(row.data.intent_id ?? '')
    if (!intent || intent.data.state === 'settled' || seen.has(intent.id)) return []
    const { data } = intent
    const isPlan = data.kind === 'subscription'
    // A discount or a trial makes a plan cheaper; a purchase with another amount needs a person.
    if (!isPlan && (row.data.amount_minor !== data.amount_minor || row.data.currency !== data.currency))
      return []
    seen.add(intent.id)
    const grant = {
      id: isPlan ? `plan/${intent.id}` : `purchase/${intent.id}`,
      kind: isPlan ? ('month' as const) : ('purchase' as const),
      account: isPlan ? ('plan' as const) : ('purchased' as const),
      intent_id: intent.id,
      stripe_subscription_id: null,
      starts_at: new Date(intent.at),
    }
    return [{ grant, is: 0, should: data.credits, event: row }]
  })
}
