import { type RawBuilder, sql } from 'kysely'
import { type CaseSummary, paidTwiceWithinMs } from '../api/support.ts'
import { refusedByBank } from '../billing/checkout/intents.ts'
import type { DatabaseTransaction } from '../database/connect.ts'
import { holdsOfPersonMax, sumOpenHolds } from '../ledger/read/open-holds.ts'
import { findEmails } from './relations.ts'
import { listOwnRows, type TimelineRow } from './timeline.ts'
import { type Asked, maskEmail, paidAtOf, type TimelineKind } from './timeline-sources.ts'

const dayMs = 86_400_000
/** What is older explains no complaint of today. */
const reachMs = 60 * dayMs
/** For times that the database stamps by its own clock, which the sandbox's clock may be months ahead of. */
const stampedSince = sql`now() - ${reachMs} * interval '1 millisecond'`
/** An end of a month that is longer ago explains no balance of today. */
const monthEndedSince = sql`interval '14 days'`
const twiceWithin = sql`interval '1 millisecond' * ${paidTwiceWithinMs.same}`
/** More of an owner's than a page needs. */
const most = 30

/** Of purchases, `i` for one: nothing of it went back. */
const isKept = (
  intent: string,
) => sql`NOT EXISTS (SELECT FROM charges c WHERE c.owner_id = ${sql.ref(`${intent}.owner_id`)}
  AND c.intent_id = ${sql.ref(`${intent}.id`)} AND c.refunded_minor + c.disputed_minor > 0)`

/**
 * Rows of one owner that are as they should be, and that a customer may write about, of the last 60 days: plans
 * that have not ended, disputes, refunds that failed, invitations that Clerk did not send, payments soon after
 * each other, those that the bank refused, credits that expired with a month, and limits that refused requests.
 * What follows ends each: a refund or dispute of the same payment, a payment of the same kind, another
 * invitation, the limit's next period. What is to be said of each is for its reader.
 */
export function listNotices(trx: DatabaseTransaction, asked: Asked): Promise<TimelineRow[]> {
  const since = new Date(asked.now.getTime() - reachMs)
  const conditions: Partial<Record<TimelineKind, RawBuilder<unknown>>> = {
    subscription: sql`s.ended_at IS NULL`,
    charge: sql`c.dispute_state = 'open' OR c.dispute_state_at >= ${since}`,
    // The subject is the charge, as of a dispute.
    event: sql`e.type = 'refund.failed' AND e.occurred_at >= ${since} AND e.state = 'applied' AND NOT EXISTS (
      SELECT FROM inbox_events later WHERE later.subject = e.subject AND later.occurred_at > e.occurred_at
        AND later.type IN ('refund.created', 'charge.dispute.created'))`,
    refusal: sql`r.ends_on > (${asked.now}::timestamptz AT TIME ZONE 'UTC')::date`,
    transfer: sql`t.kind = 'expiry' AND t.occurred_at >= ${asked.now}::timestamptz - ${monthEndedSince}`,
    // Without those whose address was invited again.
    invitation: sql`v.refusal_code IS NOT NULL AND v.updated_at >= ${stampedSince} AND NOT EXISTS (
      SELECT FROM team_invitations later WHERE later.organization_id = v.organization_id AND later.email = v.email
        AND later.created_at > v.created_at AND later.refusal_code IS NULL)`,
    intent: sql`i.state = 'failed' AND i.failure_code = ANY (${[...refusedByBank]}) AND i.updated_at >= ${stampedSince}
      AND NOT EXISTS (SELECT FROM checkout_intents later WHERE later.user_id = i.user_id AND later.kind = i.kind
        AND (i.owner_id IS NULL OR later.owner_id = i.owner_id) AND later.settled_at > i.updated_at)
      OR i.kind = 'credit_purchase' AND i.settled_at >= ${stampedSince} AND ${isKept('i')} AND EXISTS (
        SELECT FROM checkout_intents other WHERE other.owner_id = i.owner_id AND other.id <> i.id
          AND other.kind = 'credit_purchase' AND other.settled_at >= ${stampedSince} AND ${isKept('other')}
          AND ${paidAtOf('other')} BETWEEN ${paidAtOf('i')} - ${twiceWithin} AND ${paidAtOf('i')} + ${twiceWithin})`,
  }
  return listOwnRows(trx, asked, { limit: most, where: (kind) => conditions[kind] ?? null })
}

/** Who has credits reserved, so that a call is or would be refused. */
export async function listHolders(
  trx: DatabaseTransaction,
  owner_id: string,
): Promise<CaseSummary['holders']> {
  const holds = await sumOpenHolds(trx, owner_id)
  const people = holds.map(({ actor }) => actor)
  const emails = await findEmails(trx, people)
  return holds.map(({ actor: user_id, count, credits, last_expires_at }) => {
    const email = emails.get(user_id)
    return {
      user_id,
      label: email ? maskEmail(email) : null,
      holds: count,
      credits,
      is_at_limit: count >= holdsOfPersonMax,
      last_expires_at: last_expires_at.toISOString(),
    }
  })
}

/** How many events about an owner came and are not applied. */
export async function countUnapplied(trx: DatabaseTransaction, subjects: readonly string[]): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    SELECT count(*) AS count FROM (SELECT FROM inbox_events e
      WHERE e.subject = ANY (${subjects}) AND e.state = 'received' LIMIT 100) waiting`.execute(trx)
  return rows[0]?.count ?? 0
}
