import { sql } from 'kysely'
import { claimableIntents } from '../../schema/billing/checkout/intents.ts'
import { claimableSubscriptions } from '../../schema/billing/subscriptions/subscriptions.ts'
import type { Database } from '../../schema/database/connect.ts'
import { isOwnerId } from '../../schema/ledger/accounts.ts'
import { claimableInvitations } from '../../schema/people/invitations/invitations.ts'
import { inThisMode } from '../../schema/vendors/stripe/mode.ts'
import { type Comparison, replayOf, type UnconfirmedDifference } from './comparison.ts'

const minuteMs = 60_000

/** An event that waits for longer than this is not on its way any more. */
export const oldMs = 60 * minuteMs
/** A row that is due is claimed within seconds. */
const overdueMs = 10 * minuteMs
/** With more than that of one kind there is one cause, and these are enough to see it. */
const maximum = 500

/** Rows besides those of the inbox that are tried until they are finished. */
const tables = [
  {
    what: 'checkout',
    target: 'intent',
    ...claimableIntents,
    columns: sql`id, owner_id, amount_minor, currency, credits`,
    inMode: inThisMode('checkout_intents'),
  },
  {
    what: 'subscription',
    target: 'subscription',
    ...claimableSubscriptions,
    columns: sql`stripe_subscription_id AS id, owner_id`,
    inMode: inThisMode('subscriptions'),
  },
  {
    what: 'invitation',
    target: 'invitation',
    ...claimableInvitations,
    columns: sql`id, organization_id AS owner_id`,
    inMode: sql`true`,
  },
] as const

/** No row waits for too long: every event is applied, and every row whose next try is due has a job. */
export const waitingRows: Comparison = {
  name: 'rows that wait',
  async step({ deps, now }) {
    const overdue = new Date(now.getTime() - overdueMs)
    const differences = [
      ...(await oldEvents(deps.db, { received: new Date(now.getTime() - oldMs), overdue })),
    ]
    for (const table of tables) differences.push(...(await overdueRows(deps.db, table, overdue)))
    return { count: differences.length, differences, next: null }
  },
}

async function oldEvents(
  db: Database,
  before: { readonly received: Date; readonly overdue: Date },
): Promise<UnconfirmedDifference[]> {
  const rows = await db
    .selectFrom('inbox_events as e')
    .leftJoin('stripe_customers as customer', 'customer.customer_id', 'e.subject')
    .select(['e.id', 'e.source', 'e.type', 'e.received_at', 'e.next_try_at', 'e.last_error'])
    .select(['e.subject', 'customer.owner_id'])
    .where('e.finished_at', 'is', null)
    .where((eb) =>
      eb.or([eb('e.received_at', '<', before.received), eb('e.next_try_at', '<', before.overdue)]),
    )
    .orderBy('e.received_at')
    .limit(maximum)
    .execute()
  return rows.map((row): UnconfirmedDifference => {
    const { id, source, type, last_error: failure, received_at } = row
    const found = {
      object_id: id,
      owner_id: row.owner_id ?? (row.subject !== null && isOwnerId(row.subject) ? row.subject : null),
      repair: replayOf('event', id),
    }
    const data = { source, type, since: received_at.toISOString(), failure }
    if (received_at < before.received) return { ...found, kind: 'event_unapplied', data }
    return { ...found, kind: 'work_overdue', data: { ...data, what: 'event' } }
  })
}

interface OverdueRow {
  readonly id: string
  readonly owner_id: string | null
  readonly last_error: string | null
  readonly next_try_at: Date
  readonly amount_minor?: number
  readonly currency?: string
  readonly credits?: number
}

async function overdueRows(
  db: Database,
  { what, target, table, columns, unfinished, inMode }: (typeof tables)[number],
  overdue: Date,
): Promise<UnconfirmedDifference[]> {
  const { rows } = await sql<OverdueRow>`
    SELECT ${columns}, last_error, next_try_at FROM ${sql.table(table)}
    WHERE ${unfinished} AND next_try_at < ${overdue} AND ${inMode}
    ORDER BY next_try_at LIMIT ${maximum}`.execute(db)
  return rows.map(({ last_error: failure, amount_minor, currency, ...row }) => ({
    kind: 'work_overdue',
    object_id: row.id,
    owner_id: row.owner_id,
    data: { what, source: null, type: null, since: row.next_try_at.toISOString(), failure },
    money: amount_minor === undefined || currency === undefined ? null : { amount_minor, currency },
    credits: row.credits ?? null,
    repair: replayOf(target, row.id),
  }))
}
