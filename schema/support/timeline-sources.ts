import { type RawBuilder, sql } from 'kysely'
import type { TraceItemKind } from '../api/support-timeline.ts'
import { refusedByBank } from '../billing/checkout/intents.ts'
import { kindOf } from '../ledger/accounts.ts'
import { keysOfHold } from '../ledger/hold-keys.ts'
import { clerkEventTypes } from '../vendors/clerk/event-types.ts'
import { stripeEventTypes } from '../vendors/stripe/event-types.ts'

type Sql = RawBuilder<unknown>
/** A checkout's session is shown beside it, and has no row of its own. */
export type TimelineKind = Exclude<TraceItemKind, 'session'>

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

/** Where the rows of a kind are, and what each of them gives. */
export interface TimelineSource {
  readonly at: Sql
  readonly id: Sql
  /** What `timelineData` names of it, and perhaps more, which is not shown. */
  readonly data: Sql
  /** Names that lead to its owner: see `findOwners`. */
  readonly names: Sql
  /** Each is read by an index on the owner, as far as a page needs it. */
  readonly of: (asked: Asked) => readonly Rows[]
  /** Null for what cannot be its id. */
  readonly byId: (id: string) => Rows | null
}

const all = sql`true`
const isNumber = (id: string) => /^\d{1,16}$/.test(id)
const isUuid = (id: string) => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(id)
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

const subscriptions = sql`subscriptions s`

/** Invoices of subscriptions `s`, each of which has a line for its period and one for each change of seats. */
const invoices = (where: Sql) => sql`(SELECT s.stripe_subscription_id, s.currency, s.livemode, invoice.*
  FROM subscriptions s CROSS JOIN LATERAL (
    SELECT stripe_invoice_id, min(owner_id) AS owner_id, min(paid_at) AS paid_at, max(amount_paid_minor) AS amount_paid_minor,
      count(*) FILTER (WHERE kind = 'period') AS periods, max(seats) AS seats, min(starts_at) AS starts_at, max(ends_at) AS ends_at
    FROM paid_invoice_lines WHERE owner_id = s.owner_id AND stripe_subscription_id = s.stripe_subscription_id
    GROUP BY stripe_invoice_id) invoice
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

export const timelineSources: Readonly<Record<TimelineKind, TimelineSource>> = {
  intent: {
    at: sql`i.created_at`,
    id: sql`i.id::text`,
    data: sql`to_jsonb(i) - 'session_params' || jsonb_build_object('has_owner', i.owner_id IS NOT NULL,
      'is_refused_by_bank', coalesce(i.failure_code = ANY (${[...refusedByBank]}), false))`,
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
    data: sql`to_jsonb(e) - 'payload' || jsonb_build_object('is_stored', e.payload IS NOT NULL, 'livemode', e.payload -> 'livemode',
      'object_id', coalesce(${object('id')}, e.payload #>> '{data,id}'), 'intent_id', ${eventIntentId},
      'payment_status', ${object('payment_status')}, 'amount_minor', ${eventAmountMinor}, 'currency', upper(${object('currency')}))`,
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
    data: sql`to_jsonb(f) || jsonb_build_object('of', (CASE f.table_name WHEN 'inbox_events' THEN 'event:'
      WHEN 'checkout_intents' THEN 'intent:' WHEN 'subscriptions' THEN 'subscription:' WHEN 'team_invitations' THEN 'invitation:'
      ELSE 'act:' END) || f.row_id)`,
    names: sql`ARRAY[f.subject]`,
    of: ({ subjects }) => [
      { each: ofSubjects(subjects), from: sql`failed_tries f`, where: sql`f.subject = each.subject` },
    ],
    byId: (id) => (isNumber(id) ? { from: sql`failed_tries f`, where: sql`f.id = ${id}::bigint` } : null),
  },
  subscription: {
    at: sql`s.created_at`,
    id: sql`s.stripe_subscription_id`,
    data: sql`to_jsonb(s)`,
    names: sql`ARRAY[s.owner_id]`,
    of: ({ owner_id }) => [{ from: subscriptions, where: ofOwner('s', owner_id) }],
    byId: (id) => ({ from: subscriptions, where: sql`s.stripe_subscription_id = ${id}` }),
  },
  invoice: {
    at: sql`n.paid_at`,
    id: sql`n.stripe_invoice_id`,
    data: sql`to_jsonb(n)`,
    names: sql`ARRAY[n.owner_id]`,
    of: ({ owner_id }) => [{ from: invoices(ofOwner('s', owner_id)), where: all }],
    byId: (id) => ({
      from: invoices(
        sql`(s.owner_id, s.stripe_subscription_id) IN (SELECT owner_id, stripe_subscription_id FROM paid_invoice_lines
          WHERE stripe_invoice_id = ${id})`,
      ),
      where: sql`n.stripe_invoice_id = ${id}`,
    }),
  },
  charge: {
    at: sql`c.created_at`,
    id: sql`c.stripe_charge_id`,
    data: sql`to_jsonb(c)`,
    names: sql`ARRAY[c.owner_id]`,
    of: ({ owner_id }) => [charges(ofOwner('charges', owner_id))],
    byId: (id) => charges(sql`charges.stripe_charge_id = ${id}`),
  },
  transfer: {
    at: sql`t.posted_at`,
    id: sql`t.id::text`,
    data: sql`to_jsonb(t) || jsonb_build_object('account', e.name, 'amount', e.amount, 'balance_after', e.balance_after,
      'hold_id', substring(t.idempotency_key FROM '^hold/([0-9a-f-]{36})'))`,
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
    data: sql`to_jsonb(h) || jsonb_build_object('step', step.name,
      'actor_label', (SELECT ${masked(sql`u.email`)} FROM users u WHERE u.clerk_id = h.actor), 'transfer_ids', (
      SELECT coalesce(jsonb_agg(k.transfer_id ORDER BY k.transfer_id), '[]') FROM ledger_keys k
      WHERE k.owner_id = h.owner_id AND k.transfer_id IS NOT NULL AND k.idempotency_key IN ${keysOfHold(sql`h.id`)}))`,
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
  seat: {
    at: sql`p.assigned_at`,
    id: sql`p.id::text`,
    data: sql`to_jsonb(p) || jsonb_build_object('label', ${masked(sql`p.email`)})`,
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
    data: sql`to_jsonb(v) || jsonb_build_object('label', ${masked(sql`v.email`)})`,
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
    data: sql`to_jsonb(a) || jsonb_build_object('of', CASE WHEN a.target_kind NOT IN ('user', 'organization') THEN a.target_kind || ':' || a.target_id END)`,
    names: sql`ARRAY[a.owner_id, a.target_id]`,
    // A dry run has changed nothing.
    of: ({ owner_id }) => [
      { from: sql`support_acts a`, where: sql`${ofOwner('a', owner_id)} AND NOT a.is_dry_run` },
    ],
    byId: (id) => (isUuid(id) ? { from: sql`support_acts a`, where: sql`a.id = ${id}::uuid` } : null),
  },
}
