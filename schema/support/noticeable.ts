import { sql } from 'kysely'
import * as z from 'zod/mini'
import { type CaseNotices, noticesSchema } from '../api/support.ts'
import { refusedByBank } from '../billing/checkout/intents.ts'
import type { DatabaseTransaction } from '../database/connect.ts'
import { holdsOfPersonMax, sumOpenHolds } from '../ledger/read/open-holds.ts'
import { declineText } from '../vendors/stripe/declines.ts'
import { findEmails } from './relations.ts'
import { intentsOf, maskEmail, masked } from './timeline-sources.ts'

const dayMs = 86_400_000
/** What is older explains no complaint of today. */
const reachMs = 60 * dayMs
/** For times that the database stamps by its own clock, which the sandbox's clock may be months ahead of. */
const stampedSince = sql`now() - ${reachMs} * interval '1 millisecond'`
/** Two payments of one sum that are closer than this are taken for one that was made twice. */
const twiceWithinMs = 10 * 60_000
const most = 5

/**
 * Rows of one owner that are as they should be, and that a customer may write about, of the last 60 days; and
 * who has credits reserved, so that an editor's call is or would be refused.
 */
export async function listNoticeable(
  trx: DatabaseTransaction,
  owner_id: string,
  { subjects, now }: { readonly subjects: readonly string[]; readonly now: Date },
): Promise<CaseNotices> {
  const since = new Date(now.getTime() - reachMs)
  const subscriptions = await trx
    .selectFrom('subscriptions')
    .select(['stripe_subscription_id as id', 'plan_type', 'currency', 'status', 'trial_end', 'cancel_at'])
    .select(['needs_confirmation', 'unpaid_minor', 'unpaid_decline_code', 'unpaid_next_attempt_at'])
    .where('owner_id', '=', owner_id)
    .where('ended_at', 'is', null)
    .execute()
  const disputes = await sql`
    SELECT c.stripe_charge_id AS charge_id, c.amount_minor, c.dispute_state, c.dispute_state_at, c.dispute_due_at,
      coalesce(i.currency, s.currency) AS currency
    FROM charges c
    LEFT JOIN checkout_intents i ON i.owner_id = c.owner_id AND i.id = c.intent_id
    LEFT JOIN LATERAL (SELECT s.currency FROM paid_invoice_lines l JOIN subscriptions s USING (stripe_subscription_id)
      WHERE l.owner_id = c.owner_id AND l.stripe_invoice_id = c.stripe_invoice_id LIMIT 1) s ON true
    WHERE c.owner_id = ${owner_id} AND (c.dispute_state = 'open' OR c.dispute_state_at >= ${since})
      AND coalesce(i.currency, s.currency) IS NOT NULL
    ORDER BY c.dispute_state_at DESC LIMIT ${most}`.execute(trx)
  const failed_refunds = await sql`
    SELECT e.id AS event_id, e.occurred_at AS at FROM inbox_events e
    WHERE e.subject = ANY (${subjects}) AND e.type = 'refund.failed' AND e.occurred_at >= ${since} AND e.state = 'applied'
    ORDER BY e.received_at DESC LIMIT ${most}`.execute(trx)
  const twice = await sql`
    SELECT * FROM (
      SELECT i.id, i.credits, i.amount_minor, i.currency, i.settled_at,
        lag(i.settled_at) OVER (PARTITION BY i.amount_minor, i.currency ORDER BY i.settled_at) AS earlier_at
      FROM checkout_intents i
      WHERE ${intentsOf(owner_id)} AND i.kind = 'credit_purchase' AND i.state = 'settled' AND i.settled_at >= ${stampedSince}) paid
    WHERE settled_at - earlier_at <= ${twiceWithinMs} * interval '1 millisecond'
    ORDER BY settled_at DESC LIMIT ${most}`.execute(trx)
  const failed_checkouts = await sql`
    SELECT i.id, i.plan_type, i.credits, i.updated_at FROM checkout_intents i
    WHERE ${intentsOf(owner_id)} AND i.state = 'failed' AND i.failure_code = ANY (${[...refusedByBank]})
      AND i.updated_at >= ${stampedSince}
    ORDER BY i.updated_at DESC LIMIT ${most}`.execute(trx)
  // Without those whose address was invited again.
  const refused_invitations = await sql`
    SELECT v.id, ${masked(sql`v.email`)} AS label, v.refusal_code, v.updated_at FROM team_invitations v
    WHERE v.organization_id = ${owner_id} AND v.refusal_code IS NOT NULL AND v.updated_at >= ${stampedSince}
      AND NOT EXISTS (SELECT FROM team_invitations later WHERE later.organization_id = v.organization_id
        AND later.email = v.email AND later.created_at > v.created_at AND later.refusal_code IS NULL)
    ORDER BY v.updated_at DESC LIMIT ${most}`.execute(trx)
  const holds = await sumOpenHolds(trx, owner_id)
  const emails = await findEmails(
    trx,
    holds.map(({ actor }) => actor),
  )
  const found = {
    subscriptions: subscriptions.map(({ unpaid_decline_code: code, ...row }) => ({
      ...row,
      unpaid_decline: code && declineText(code),
    })),
    disputes: disputes.rows,
    failed_refunds: failed_refunds.rows,
    refused_invitations: refused_invitations.rows,
    twice: twice.rows,
    failed_checkouts: failed_checkouts.rows,
    holders: holds.map(({ actor, count, credits, last_expires_at }) => {
      const email = emails.get(actor)
      const label = email ? maskEmail(email) : null
      return {
        user_id: actor,
        label,
        holds: count,
        credits,
        is_at_limit: count >= holdsOfPersonMax,
        last_expires_at,
      }
    }),
  }
  // Times in the form of the answer.
  return z.parse(noticesSchema, JSON.parse(JSON.stringify(found)))
}

/** How many events about an owner came and are not applied. */
export async function countUnapplied(trx: DatabaseTransaction, subjects: readonly string[]): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    SELECT count(*) AS count FROM (SELECT FROM inbox_events e
      WHERE e.subject = ANY (${subjects}) AND e.state = 'received' LIMIT 100) waiting`.execute(trx)
  return rows[0]?.count ?? 0
}
