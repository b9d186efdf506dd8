import { type RawBuilder, sql } from 'kysely'
import type { Owner } from '../ledger/accounts.ts'
import { keysOfHold } from '../ledger/hold-keys.ts'
import type { TimelineKind } from './timeline-rows.ts'

/** A time with all of Postgres' digits, in the order of time. */
export const asText = (at: RawBuilder<unknown>) =>
  sql`to_char(${at} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`

/** The paths in the payloads of Stripe's events, `e`. */
const object = (path: string) => sql`e.payload #>> ${sql.lit(`{data,object,${path}}`)}`
const eventIntentId = sql`coalesce(e.client_reference_id, ${object('metadata,intentId')},
  ${object('parent,subscription_details,metadata,intentId')}, ${object('subscription_details,metadata,intentId')})`
const eventAmountMinor = sql`(CASE e.type WHEN 'charge.refunded' THEN e.payload #> '{data,object,amount_refunded}'
  WHEN 'invoice.paid' THEN e.payload #> '{data,object,amount_paid}'
  ELSE coalesce(e.payload #> '{data,object,amount_total}', e.payload #> '{data,object,amount_due}',
    e.payload #> '{data,object,amount}') END)`

export const columns: Readonly<
  Record<TimelineKind, { at: RawBuilder<unknown>; id: RawBuilder<unknown>; data: RawBuilder<unknown> }>
> = {
  intent: { at: sql`i.created_at`, id: sql`i.id::text`, data: sql`to_jsonb(i) - 'session_params'` },
  event: {
    at: sql`e.received_at`,
    id: sql`e.id`,
    data: sql`jsonb_build_object(
      'source', e.source, 'type', e.type, 'subject', e.subject, 'state', e.state, 'reason', e.reason,
      'last_error', e.last_error, 'attempts', e.attempts, 'next_try_at', e.next_try_at, 'unavailable_since', e.unavailable_since,
      'occurred_at', e.occurred_at, 'finished_at', e.finished_at, 'received_via', e.received_via,
      'is_stored', e.payload IS NOT NULL, 'livemode', e.payload -> 'livemode',
      'object_id', coalesce(${object('id')}, e.payload #>> '{data,id}'),
      'intent_id', ${eventIntentId},
      'payment_status', ${object('payment_status')},
      'amount_minor', ${eventAmountMinor},
      'currency', upper(${object('currency')}))`,
  },
  attempt: { at: sql`f.first_at`, id: sql`f.id::text`, data: sql`to_jsonb(f)` },
  subscription: { at: sql`s.created_at`, id: sql`s.stripe_subscription_id`, data: sql`to_jsonb(s)` },
  invoice: { at: sql`n.paid_at`, id: sql`n.stripe_invoice_id`, data: sql`to_jsonb(n)` },
  charge: { at: sql`c.created_at`, id: sql`c.stripe_charge_id`, data: sql`to_jsonb(c)` },
  transfer: {
    at: sql`t.posted_at`,
    id: sql`t.id::text`,
    data: sql`jsonb_build_object('kind', t.kind, 'reason', t.reason, 'actor', t.actor, 'occurred_at', t.occurred_at,
      'idempotency_key', t.idempotency_key, 'grant_id', t.grant_id, 'intent_id', t.intent_id, 'event_id', t.event_id,
      'account', e.name, 'amount', e.amount, 'balance_after', e.balance_after)`,
  },
  act: {
    at: sql`a.requested_at`,
    id: sql`a.id::text`,
    data: sql`(to_jsonb(a) - 'outcome' - 'params') || jsonb_build_object('sentence', a.outcome ->> 'sentence')`,
  },
  hold: {
    at: sql`step.at`,
    id: sql`(h.id || CASE step.name WHEN 'reserved' THEN '' ELSE '/' || step.name END)`,
    data: sql`to_jsonb(h) || jsonb_build_object('step', step.name,
      'actor_email', (SELECT u.email FROM users u WHERE u.clerk_id = h.actor), 'transfer_ids', (
      SELECT coalesce(jsonb_agg(k.transfer_id ORDER BY k.transfer_id), '[]') FROM ledger_keys k
      WHERE k.owner_id = h.owner_id AND k.transfer_id IS NOT NULL AND k.idempotency_key IN ${keysOfHold(sql`h.id`)}))`,
  },
  seat: { at: sql`p.assigned_at`, id: sql`p.id::text`, data: sql`to_jsonb(p)` },
  invitation: { at: sql`v.created_at`, id: sql`v.id::text`, data: sql`to_jsonb(v)` },
}

/**
 * Holds, `h`, at each of their `step`s. One past its time has expired, also where that is not written down
 * yet.
 */
export function stepsOfHolds(where: RawBuilder<unknown>, now: Date): RawBuilder<unknown> {
  return sql`(SELECT * FROM ledger_holds WHERE ${where}) h CROSS JOIN LATERAL (
    SELECT * FROM (VALUES
      ('reserved', h.opened_at),
      ('extended', h.extended_at),
      ('expired', CASE WHEN h.state IN ('expired', 'settled_late') OR h.state = 'open' AND h.expires_at <= ${now}
        THEN h.expires_at END),
      ('resolved', CASE WHEN h.state IN ('settled', 'settled_late', 'released') THEN h.resolved_at END)
    ) step (name, at) WHERE at IS NOT NULL) step`
}

/** What a transfer `t` did to its owner's accounts, `e`; one that took from both is a row with the sum. */
export const changeOfOwner = sql`LATERAL (
  SELECT min(account.name) AS name, sum(entry.amount) AS amount, min(entry.balance_after) AS balance_after
  FROM ledger_accounts account
  JOIN ledger_entries entry
    ON entry.owner_id = account.owner_id AND entry.account_id = account.id AND entry.transfer_id = t.id
  WHERE account.owner_id = t.owner_id) e`

/** An owner's checkouts, `i`. Those for an organization that does not exist yet belong to the buyer. */
export function intentsOf(owner: Owner): RawBuilder<boolean> {
  return owner.owner_kind === 'organization'
    ? sql`i.owner_kind = 'organization' AND i.owner_id = ${owner.owner_id}`
    : sql`i.user_id = ${owner.owner_id} AND (i.owner_kind = 'user' OR i.owner_id IS NULL)`
}

/** Invoices, each of which has a line for its period and one for each change of seats. */
export function invoicesOf(
  where: RawBuilder<unknown>,
  subscription?: RawBuilder<unknown>,
): RawBuilder<unknown> {
  return sql`SELECT stripe_invoice_id, ${subscription ? sql`min(owner_id) AS owner_id, min(${subscription}) AS stripe_subscription_id,` : sql``}
    min(paid_at) AS paid_at, max(total_minor) AS total_minor, max(amount_paid_minor) AS amount_paid_minor,
    count(*) FILTER (WHERE kind = 'period') AS periods, max(seats) AS seats, min(starts_at) AS starts_at, max(ends_at) AS ends_at
    FROM paid_invoice_lines WHERE ${where} GROUP BY stripe_invoice_id`
}
