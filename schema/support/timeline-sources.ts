import { type RawBuilder, type Selectable, sql } from 'kysely'
import { refusedByBank } from '../billing/checkout/intents.ts'
import type { DB } from '../database/types.ts'
import { kindOf } from '../ledger/accounts.ts'
import { keysOfHold } from '../ledger/hold-keys.ts'
import { clerkEventTypes } from '../vendors/clerk/event-types.ts'
import { stripeEventTypes } from '../vendors/stripe/event-types.ts'

type Sql = RawBuilder<unknown>

export interface Rows {
  readonly from: Sql
  readonly where: Sql
  /** What the rows are looked up for one by one, as `each`, so that an index has those of each in order. */
  readonly each?: Sql
}

export interface Asked {
  readonly owner_id: string
  /** See `listSubjects`. */
  readonly subjects: readonly string[]
  /** One whose steps and usages are asked for, although it may be over. */
  readonly hold_id?: string | undefined
  /** By the product's clock. */
  readonly now: Date
}

type Row<Table extends keyof DB> = Selectable<DB[Table]>

/** The columns that server and worker read of the data of a kind. What is only shown is parsed where it is shown. */
export interface DataRead {
  readonly intent: Pick<
    Row<'checkout_intents'>,
    'user_id' | 'kind' | 'state' | 'credits' | 'amount_minor' | 'currency' | 'stripe_session_id' | 'livemode'
  >
  readonly event: Pick<Row<'inbox_events'>, 'source' | 'type' | 'subject'> &
    Record<'intent_id' | 'payment_status', string | null>
  readonly subscription: Pick<Row<'subscriptions'>, 'credits_per_seat' | 'seats_total'> &
    DataRead['invitation']
  readonly invitation: { readonly sync_failed_at: string | null }
  readonly transfer: Pick<Row<'ledger_transfers'>, 'kind' | 'actor'>
  readonly seat: Pick<Row<'seats'>, 'user_id'>
  readonly act: Pick<Row<'support_acts'>, 'requested_by' | 'approved_by'>
}

/** Where the rows of a kind are, and what each of them gives. */
export interface TimelineSource {
  readonly at: Sql
  readonly id: Sql
  /** What may be shown of it, and nothing else: of an event's payload only ids, amounts and states. */
  readonly data: Sql
  /** Names that lead to its owner: see `findOwners`. */
  readonly names: Sql
  /** Each is read by an index on the owner, as far as a page needs it. */
  readonly of: (asked: Asked) => readonly Rows[]
  /** Null for what cannot be its id. */
  readonly byId: (id: string) => Rows | null
}

const all = sql`true`
const json = (columns: Sql) => sql`(SELECT to_jsonb(data) FROM (SELECT ${columns}) data)`
const isNumber = (id: string) => /^\d{1,16}$/.test(id)
export const isUuid = (id: string) => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(id)
const ofOwner = (alias: string, owner_id: string) => sql`${sql.ref(`${alias}.owner_id`)} = ${owner_id}`

/** Enough of an address to recognize it, and no more: `d…@example.com`. */
export function maskEmail(email: string): string {
  const at = email.lastIndexOf('@')
  return at < 1 ? '…' : `${email.slice(0, 1)}…${email.slice(at)}`
}

/** The same in SQL. */
const masked = (email: Sql) =>
  sql`CASE WHEN ${email} LIKE '_%@%' THEN left(${email}, 1) || '…' || substring(${email} FROM '@[^@]*$') ELSE '…' END`

/** A look-up by key for each row. Because of `OFFSET 0` Postgres does not read a whole table to join it. */
const transfersOf = (where: Sql) =>
  sql`CROSS JOIN LATERAL (SELECT * FROM ledger_transfers WHERE ${where} OFFSET 0) t`

/** What a transfer `t` did to its owner's accounts, `e`; one that took from both is a row with the sum. */
const changeOfOwner = sql`CROSS JOIN LATERAL (
  SELECT min(account.name) AS name, sum(entry.amount) AS amount, min(entry.balance_after) AS balance_after
  FROM ledger_accounts account
  JOIN ledger_entries entry
    ON entry.owner_id = account.owner_id AND entry.account_id = account.id AND entry.transfer_id = t.id
  WHERE account.owner_id = t.owner_id) e`

/** An owner's checkouts, `i`. Those for an organization that does not exist yet belong to the buyer. */
export function intentsOf(owner_id: string): RawBuilder<boolean> {
  return kindOf(owner_id) === 'organization'
    ? sql`i.owner_id = ${owner_id}`
    : sql`i.user_id = ${owner_id} AND (starts_with(i.owner_id, 'user_') OR i.owner_id IS NULL)`
}

/**
 * When a checkout was paid, by Stripe's clock: the events of its session have that time, however late they
 * come. Before any has come it is when we heard of it.
 */
export function paidAtOf(intent: string): Sql {
  const of = (column: string) => sql.ref(`${intent}.${column}`)
  return sql`coalesce((SELECT min(paid.occurred_at) FROM inbox_events paid WHERE paid.client_reference_id = ${of('id')}::text
    AND paid.type IN ('checkout.session.completed', 'checkout.session.async_payment_succeeded')), ${of('settled_at')})`
}

const subscriptions = sql`subscriptions s`

/**
 * Invoices of subscriptions `s`: the paid ones, each of which has a line for its period and one for each change of
 * seats, and the one that is open.
 */
const invoices = (
  where: Sql,
) => sql`(SELECT s.stripe_subscription_id, s.currency, s.livemode, s.owner_id, invoice.*,
    s.needs_confirmation, s.unpaid_decline_code, s.unpaid_next_attempt_at
  FROM subscriptions s CROSS JOIN LATERAL (
    SELECT stripe_invoice_id, min(paid_at) AS at, max(amount_paid_minor) AS amount_paid_minor, NULL::bigint AS unpaid_minor,
      count(*) FILTER (WHERE kind = 'period') AS periods, max(seats) AS seats, min(starts_at) AS starts_at, max(ends_at) AS ends_at
    FROM paid_invoice_lines WHERE owner_id = s.owner_id AND stripe_subscription_id = s.stripe_subscription_id
    GROUP BY stripe_invoice_id
    UNION ALL SELECT s.unpaid_invoice_id, coalesce(s.unpaid_declined_at, s.current_period_start), 0, s.unpaid_minor,
      0, s.seats_total, s.current_period_start, s.current_period_end
    WHERE s.unpaid_invoice_id IS NOT NULL) invoice
  WHERE ${where}) n`

/** Charges, with the currency of their purchase: none while their invoice is unknown. */
const charges = (where: Sql) => ({
  from: sql`(SELECT charges.*, coalesce(bought.currency, paid.currency) AS currency FROM charges
    LEFT JOIN LATERAL (SELECT currency FROM checkout_intents
      WHERE owner_id = charges.owner_id AND id = charges.intent_id OFFSET 0) bought ON true
    LEFT JOIN LATERAL (SELECT s.currency FROM paid_invoice_lines line JOIN subscriptions s USING (owner_id, stripe_subscription_id)
      WHERE line.owner_id = charges.owner_id AND line.stripe_invoice_id = charges.stripe_invoice_id LIMIT 1) paid ON true
    WHERE ${where}) c`,
  where: sql`c.currency IS NOT NULL`,
})

/** What was refunded of what a row paid for, whose id is in `column`. */
const refunded = (row: string, column: 'intent_id' | 'stripe_invoice_id', id: Sql) =>
  sql`(SELECT coalesce(sum(paid.refunded_minor), 0)::bigint FROM charges paid
    WHERE paid.owner_id = ${sql.ref(`${row}.owner_id`)} AND ${sql.ref(`paid.${column}`)} = ${id}) AS refunded_minor`

/** The paths in the payloads of Stripe's events, `p`. */
const object = (path: string) => sql`e.payload #>> ${sql.lit(`{data,object,${path}}`)}`
const eventIntentId = sql`coalesce(e.client_reference_id, ${object('metadata,intentId')},
  ${object('parent,subscription_details,metadata,intentId')}, ${object('subscription_details,metadata,intentId')})`
const eventAmountMinor = sql`(CASE e.type WHEN 'charge.refunded' THEN e.payload #> '{data,object,amount_refunded}'
  WHEN 'invoice.paid' THEN e.payload #> '{data,object,amount_paid}'
  ELSE coalesce(e.payload #> '{data,object,amount_total}', e.payload #> '{data,object,amount_due}',
    e.payload #> '{data,object,amount}') END)`
/** An endpoint may be sent event types that it did not ask for; they have no effect and are not shown. */
const isOfInterest = sql`(e.state <> 'ignored' OR e.type = ANY (${[...stripeEventTypes, ...clerkEventTypes]}))`
const ofSubjects = (subjects: readonly string[]) => sql`unnest(${subjects}::text[]) AS each (subject)`

/**
 * Holds, `h`, at each of their `step`s. One past its time has expired, also where that is not written down
 * yet.
 */
const stepsOfHolds = (where: Sql, now: Date): Rows => ({
  from: sql`(SELECT * FROM ledger_holds WHERE ${where}) h CROSS JOIN LATERAL (
    SELECT * FROM (VALUES
      ('reserved', h.opened_at),
      ('extended', h.extended_at),
      ('expired', CASE WHEN h.state IN ('expired', 'settled_late') OR h.state = 'open' AND h.expires_at <= ${now}
        THEN h.expires_at END),
      ('resolved', CASE WHEN h.state IN ('settled', 'settled_late', 'released') THEN h.resolved_at END)
    ) step (name, at) WHERE at IS NOT NULL) step`,
  where: all,
})

/** Periods in which a budget refused something: of all together without an actor, of a person with theirs. */
const refusals = (where: Sql): Rows => ({
  from: sql`ledger_budget_periods r JOIN ledger_budgets b ON b.owner_id = r.owner_id AND b.id = r.budget_id`,
  where: sql`r.refused > 0 AND (${where})`,
})

/** Of the operator's key that acted for the person. */
const nameOfKey = (alias: string) =>
  sql`(SELECT k.name FROM operator_keys k WHERE k.id = ${sql.ref(`${alias}.operator_key_id`)}) AS operator_key`

export const timelineSources = {
  intent: {
    at: sql`i.created_at`,
    id: sql`i.id::text`,
    data: json(sql`i.id, i.user_id, i.kind, i.plan_type, i.billing_frequency, i.seats, i.credits, i.amount_minor, i.currency,
      i.state, i.is_unfinished, i.failure_reason, i.settled_at, i.updated_at, i.attempts, i.last_error, i.next_try_at,
      CASE WHEN i.state = 'settled' THEN ${paidAtOf('i')} END AS paid_at,
      i.stripe_session_id, i.livemode, i.owner_id IS NOT NULL AS has_owner,
      ${refunded('i', 'intent_id', sql`i.id`)}, coalesce(i.failure_code = ANY (${[...refusedByBank]}), false) AS is_refused_by_bank`),
    names: sql`ARRAY[coalesce(i.owner_id, i.user_id)]`,
    of: ({ owner_id }) => [{ from: sql`checkout_intents i`, where: intentsOf(owner_id) }],
    byId: (id) => ({
      from: sql`checkout_intents i`,
      where: isUuid(id) ? sql`i.id = ${id}::uuid` : sql`i.stripe_session_id = ${id}`,
    }),
  },
  event: {
    at: sql`e.received_at`,
    id: sql`e.id`,
    data: json(sql`e.source, e.type, e.subject, e.state, e.reason, e.last_error, e.attempts, e.next_try_at, e.unavailable_since,
      e.occurred_at, e.received_via, e.payload IS NOT NULL AS is_stored, e.payload -> 'livemode' AS livemode,
      coalesce(${object('id')}, e.payload #>> '{data,id}') AS object_id, ${eventIntentId} AS intent_id,
      ${object('payment_status')} AS payment_status, ${eventAmountMinor} AS amount_minor,
      upper(${object('currency')}) AS currency`),
    names: sql`ARRAY[e.subject, ${eventIntentId}]`,
    of: ({ subjects }) => [
      {
        each: ofSubjects(subjects),
        from: sql`inbox_events e`,
        where: sql`e.subject = each.subject AND ${isOfInterest}`,
      },
    ],
    byId: (id) => ({
      from: sql`inbox_events e`,
      where: sql`e.source IN ('stripe', 'clerk') AND e.id = ${id}`,
    }),
  },
  attempt: {
    at: sql`f.first_at`,
    id: sql`f.id::text`,
    data: json(sql`f.kind, f.error, f.tries, f.last_at, (CASE f.table_name WHEN 'inbox_events' THEN 'event:'
      WHEN 'checkout_intents' THEN 'intent:' WHEN 'subscriptions' THEN 'subscription:' WHEN 'team_invitations' THEN 'invitation:'
      ELSE 'act:' END) || f.row_id AS of`),
    names: sql`ARRAY[f.subject]`,
    of: ({ subjects }) => [
      { each: ofSubjects(subjects), from: sql`failed_tries f`, where: sql`f.subject = each.subject` },
    ],
    byId: (id) => (isNumber(id) ? { from: sql`failed_tries f`, where: sql`f.id = ${id}::bigint` } : null),
  },
  subscription: {
    at: sql`s.created_at`,
    id: sql`s.stripe_subscription_id`,
    data: json(sql`s.intent_id, s.plan_type, s.billing_frequency, s.status, s.seats_total, s.credits_per_seat, s.pending_lines,
      s.current_period_end, s.trial_end, s.cancel_at, s.lapses_at, s.needs_confirmation, s.unpaid_minor, s.unpaid_decline_code,
      s.unpaid_next_attempt_at, s.ended_at, s.currency, s.replaced_by, s.unused_refund_minor, s.unused_refund_id,
      s.is_unfinished, s.updated_at, s.attempts, s.last_error, s.sync_failed_at, s.next_try_at, s.livemode`),
    names: sql`ARRAY[s.owner_id]`,
    of: ({ owner_id }) => [{ from: subscriptions, where: ofOwner('s', owner_id) }],
    byId: (id) => ({ from: subscriptions, where: sql`s.stripe_subscription_id = ${id}` }),
  },
  invoice: {
    at: sql`n.at`,
    id: sql`n.stripe_invoice_id`,
    data: json(sql`n.stripe_subscription_id, n.currency, n.amount_paid_minor, n.periods, n.seats, n.starts_at, n.ends_at,
      n.unpaid_minor, n.needs_confirmation, n.unpaid_decline_code, n.unpaid_next_attempt_at, n.livemode,
       CASE WHEN n.unpaid_minor IS NULL THEN 'paid' ELSE 'open' END AS status,
       ${refunded('n', 'stripe_invoice_id', sql`n.stripe_invoice_id`)}`),
    names: sql`ARRAY[n.owner_id]`,
    of: ({ owner_id }) => [{ from: invoices(ofOwner('s', owner_id)), where: all }],
    byId: (id) => ({
      from: invoices(
        sql`(s.owner_id, s.stripe_subscription_id) IN (SELECT owner_id, stripe_subscription_id FROM paid_invoice_lines
          WHERE stripe_invoice_id = ${id}
          UNION SELECT owner_id, stripe_subscription_id FROM subscriptions WHERE unpaid_invoice_id = ${id})`,
      ),
      where: sql`n.stripe_invoice_id = ${id}`,
    }),
  },
  charge: {
    at: sql`c.created_at`,
    id: sql`c.stripe_charge_id`,
    data: json(sql`c.intent_id, c.stripe_invoice_id, c.currency, c.amount_minor, c.refunded_minor, c.unused_refund_minor,
      c.disputed_minor, c.dispute_state, c.dispute_state_at, c.dispute_due_at, c.updated_at, c.livemode`),
    names: sql`ARRAY[c.owner_id]`,
    of: ({ owner_id }) => [charges(ofOwner('charges', owner_id))],
    byId: (id) => charges(sql`charges.stripe_charge_id = ${id}`),
  },
  transfer: {
    at: sql`t.posted_at`,
    id: sql`t.id::text`,
    data: json(sql`t.kind, t.reason, t.actor, t.occurred_at, t.intent_id, t.event_id, e.name AS account, e.amount, e.balance_after,
      substring(t.idempotency_key FROM '^hold/([0-9a-f-]{36})') AS hold_id, ${nameOfKey('t')}`),
    names: sql`ARRAY[t.owner_id]`,
    of: ({ owner_id, hold_id }) => {
      const ofHold: Rows = {
        from: sql`ledger_keys k ${transfersOf(sql`id = k.transfer_id AND owner_id = k.owner_id`)} ${changeOfOwner}`,
        where: sql`k.owner_id = ${owner_id} AND k.idempotency_key IN ${keysOfHold(sql`${hold_id}::text`)}`,
      }
      const ofGrants: Rows = {
        from: sql`ledger_grants g ${transfersOf(sql`owner_id = g.owner_id AND grant_id = g.id`)}
          CROSS JOIN LATERAL (
            SELECT account.name, entry.amount, entry.balance_after FROM ledger_accounts account
            JOIN ledger_entries entry
              ON entry.owner_id = account.owner_id AND entry.account_id = account.id AND entry.transfer_id = t.id
            WHERE account.owner_id = g.owner_id AND account.name = g.account) e`,
        where: ofOwner('g', owner_id),
      }
      return hold_id === undefined ? [ofGrants] : [ofGrants, ofHold]
    },
    byId: (id) =>
      isNumber(id)
        ? { from: sql`ledger_transfers t ${changeOfOwner}`, where: sql`t.id = ${id}::bigint` }
        : null,
  },
  hold: {
    at: sql`step.at`,
    id: sql`(h.id || CASE step.name WHEN 'reserved' THEN '' ELSE '/' || step.name END)`,
    data: json(sql`h.owner_id, h.actor, h.asked, h.credits, h.state, h.expires_at, h.settled_credits, h.charged, h.failure,
      h.reason, h.model, h.project, step.name AS step,
      (SELECT ${masked(sql`u.email`)} FROM users u WHERE u.clerk_id = h.actor) AS actor_label, ${nameOfKey('h')},
      (SELECT coalesce(jsonb_agg(k.transfer_id ORDER BY k.transfer_id), '[]') FROM ledger_keys k
      WHERE k.owner_id = h.owner_id AND k.transfer_id IS NOT NULL AND k.idempotency_key IN ${keysOfHold(sql`h.id`)}) AS transfer_ids`),
    names: sql`ARRAY[h.owner_id]`,
    of: ({ owner_id, hold_id = null, now }) => [
      stepsOfHolds(sql`owner_id = ${owner_id} AND state = 'open'`, now),
      stepsOfHolds(sql`owner_id = ${owner_id} AND state <> 'open' AND id = ${hold_id}::uuid`, now),
    ],
    byId: (id) =>
      isUuid(id)
        ? {
            from: sql`ledger_holds h CROSS JOIN LATERAL (SELECT 'reserved' AS name, h.opened_at AS at) step`,
            where: sql`h.id = ${id}::uuid`,
          }
        : null,
  },
  refusal: {
    at: sql`r.refused_at`,
    id: sql`concat_ws('/', r.owner_id, r.budget_id, r.ends_on, nullif(r.actor, ''))`,
    data: json(sql`r.owner_id, b.scope, b.period, b.credits + r.extra AS "limit", r.starts_on, r.ends_on, r.refused, r.refused_credits,
      r.refused_actor, (SELECT ${masked(sql`u.email`)} FROM users u WHERE u.clerk_id = r.refused_actor) AS actor_label`),
    names: sql`ARRAY[r.owner_id]`,
    of: ({ owner_id }) => [refusals(ofOwner('r', owner_id))],
    byId(id) {
      const [owner_id = '', budget_id = '', ends_on = '', actor = ''] = id.split('/')
      if (!isUuid(budget_id)) return null
      return refusals(
        sql`r.owner_id = ${owner_id} AND r.budget_id = ${budget_id}::uuid AND r.ends_on::text = ${ends_on} AND r.actor = ${actor}`,
      )
    },
  },
  mail: {
    at: sql`m.created_at`,
    // Without the id of the row, with which its recipient is unsubscribed.
    id: sql`concat_ws('/', m.owner_id, m.user_id, m.kind, m.occasion)`,
    data: json(sql`m.kind, m.user_id, m.state, m.failure,
      (SELECT ${masked(sql`u.email`)} FROM users u WHERE u.clerk_id = m.user_id) AS label`),
    names: sql`ARRAY[m.owner_id]`,
    of: ({ owner_id }) => [{ from: sql`mails m`, where: ofOwner('m', owner_id) }],
    byId(id) {
      const [owner_id, user_id, kind, ...occasion] = id.split('/')
      return {
        from: sql`mails m`,
        where: sql`m.owner_id = ${owner_id} AND m.user_id = ${user_id ?? ''} AND m.kind = ${kind ?? ''} AND m.occasion = ${occasion.join('/')}`,
      }
    },
  },
  seat: {
    at: sql`p.assigned_at`,
    id: sql`p.id::text`,
    data: json(sql`p.organization_id, p.user_id, p.role, p.status, p.invitation_id, p.updated_at,
      ${masked(sql`p.email`)} AS label`),
    names: sql`ARRAY[p.organization_id]`,
    of: ({ owner_id }) => [
      {
        from: sql`seats p`,
        where:
          kindOf(owner_id) === 'organization'
            ? sql`p.organization_id = ${owner_id}`
            : sql`p.user_id = ${owner_id} AND p.status = 'active'`,
      },
    ],
    byId: (id) => (isNumber(id) ? { from: sql`seats p`, where: sql`p.id = ${id}::bigint` } : null),
  },
  invitation: {
    at: sql`v.created_at`,
    id: sql`v.id::text`,
    data: json(sql`v.status, v.expires_at, v.clerk_invitation_id, v.refusal_code, v.updated_at, v.attempts, v.last_error,
      v.sync_failed_at, v.next_try_at, v.email AS label`),
    names: sql`ARRAY[v.organization_id]`,
    of: ({ owner_id }) => [{ from: sql`team_invitations v`, where: sql`v.organization_id = ${owner_id}` }],
    byId: (id) => ({
      from: sql`team_invitations v`,
      where: isUuid(id) ? sql`v.id = ${id}::uuid` : sql`v.clerk_invitation_id = ${id}`,
    }),
  },
  act: {
    at: sql`a.requested_at`,
    id: sql`a.id::text`,
    data: json(sql`a.kind, a.reason, a.requested_by, a.approved_by, a.state, a.error, a.last_error, a.outcome, a.attempts, a.next_try_at,
      CASE WHEN a.target_kind NOT IN ('user', 'organization') THEN a.target_kind || ':' || a.target_id END AS of`),
    names: sql`ARRAY[a.owner_id, a.target_id]`,
    // A dry run has changed nothing.
    of: ({ owner_id }) => [
      { from: sql`support_acts a`, where: sql`${ofOwner('a', owner_id)} AND NOT a.is_dry_run` },
    ],
    byId: (id) => (isUuid(id) ? { from: sql`support_acts a`, where: sql`a.id = ${id}::uuid` } : null),
  },
} satisfies Readonly<Record<string, TimelineSource>>

/** A checkout's session is shown beside it, and has no row of its own. */
export type TimelineKind = keyof typeof timelineSources
