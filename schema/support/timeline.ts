import { type Kysely, type RawBuilder, sql } from 'kysely'
import { clerkEventTypes } from '../clerk/event-types.ts'
import type { ReadDatabase } from '../database/connect.ts'
import { lookupEach } from '../database/lookup-each.ts'
import type { DB } from '../database/types.ts'
import type { Owner } from '../ledger/accounts.ts'
import { keysOfHold } from '../ledger/hold-keys.ts'
import { stripeEventTypes } from '../stripe/event-types.ts'
import { parseTimelineRow, type TimelineKind, type TimelineRow } from './timeline-rows.ts'
import { asText, changeOfOwner, columns, intentsOf, invoicesOf, stepsOfHolds } from './timeline-sql.ts'

export interface TimelineCursor {
  /** As `TimelineRow.at` has it. */
  readonly at: string
  /** `kind:id`. */
  readonly key: string
  /** The oldest use of credits that was read: they are found by the number of their transfer. */
  readonly usage_before: number | null
}

export interface TimelinePage {
  readonly rows: readonly TimelineRow[]
  /** Null when there is nothing older. */
  readonly next: TimelineCursor | null
}

export function keyOf({ kind, id }: { readonly kind: string; readonly id: string }): string {
  return `${kind}:${id}`
}

/**
 * An owner's payments and credits, newest first, below the cursor if given. Each kind of row is found by an
 * index on the owner, up to a page of it; usage, which may be thousands of rows, only on request. Of holds
 * that are over it has only the one that is asked for, with its usages.
 */
export async function readTimeline(
  db: Kysely<DB>,
  owner: Owner,
  page: {
    readonly limit: number
    readonly before?: TimelineCursor | undefined
    readonly with_usage: boolean
    readonly hold_id?: string | undefined
    /** By the product's clock. */
    readonly now: Date
  },
): Promise<TimelinePage> {
  const subjects = await listSubjects(db, owner)
  // One more than asked for shows whether there is a next page.
  const limit = page.limit + 1
  const sources = sourcesOf(owner, { ...page, subjects, limit })
  const { rows } = await sql<{ kind: TimelineKind; id: string; at: string; data: unknown }>`
    SELECT kind, id, ${asText(sql`at`)} AS at, data
    FROM (${sql.join(sources, sql` UNION ALL `)}) item
    ORDER BY item.at DESC, (kind || ':' || id) COLLATE "C" DESC LIMIT ${limit}`.execute(db)
  const found = rows.map(parseTimelineRow)
  const shown = found.slice(0, page.limit)
  const last = shown.at(-1)
  if (found.length <= page.limit || !last) return { rows: shown, next: null }
  const used = shown.flatMap((row) => (isUsage(row) ? Number(row.id) : []))
  const usage_before = used.length > 0 ? Math.min(...used) : (page.before?.usage_before ?? null)
  return { rows: shown, next: { at: last.at, key: keyOf(last), usage_before } }
}

/** One row, of any owner; undefined when there is none.  A session is the intent that it was opened for. */
export async function findTimelineRow(
  db: ReadDatabase,
  { kind, id }: { readonly kind: TimelineKind; readonly id: string },
): Promise<TimelineRow | undefined> {
  const source = sourceById(kind, id)
  if (!source) return undefined
  const { rows } = await sql<{ kind: TimelineKind; id: string; at: string; data: unknown }>`
    SELECT kind, id, ${asText(sql`at`)} AS at, data FROM (${source}) item LIMIT 1`.execute(db)
  return rows[0] && parseTimelineRow(rows[0])
}

function isUsage(row: TimelineRow): boolean {
  return row.kind === 'transfer' && row.data.kind === 'usage'
}

/** The ids under which an owner's events are stored: theirs at Clerk, and their customers and charges. */
export async function listSubjects(db: Kysely<DB>, owner: Owner): Promise<string[]> {
  const { rows } = await sql<{ subject: string }>`
    SELECT customer_id AS subject FROM stripe_customers
    WHERE owner_kind = ${owner.owner_kind} AND owner_id = ${owner.owner_id}
    UNION
    -- Before it has a customer, or when it has got another one. A checkout without one is named itself.
    SELECT coalesce(i.stripe_customer_id, i.id::text) FROM checkout_intents i WHERE ${intentsOf(owner)}
    UNION
    SELECT stripe_charge_id FROM charges
    WHERE owner_kind = ${owner.owner_kind} AND owner_id = ${owner.owner_id}`.execute(db)
  return [owner.owner_id, ...rows.map(({ subject }) => subject)]
}

interface SourceOptions {
  readonly subjects: readonly string[]
  readonly before?: TimelineCursor | undefined
  readonly limit: number
  readonly with_usage: boolean
  readonly hold_id?: string | undefined
  readonly now: Date
}

function sourcesOf(owner: Owner, options: SourceOptions): RawBuilder<unknown>[] {
  const { subjects, before, limit, with_usage, hold_id, now } = options
  const ofOwner = (alias: string) =>
    sql`${sql.ref(`${alias}.owner_kind`)} = ${owner.owner_kind} AND ${sql.ref(`${alias}.owner_id`)} = ${owner.owner_id}`
  /** The newest of a source below the cursor, in the order of the timeline. */
  const page = (kind: TimelineKind, at: RawBuilder<unknown>, id: RawBuilder<unknown>) => {
    const key = sql`(${sql.lit(`${kind}:`)} || ${id}) COLLATE "C"`
    const isBelow = before
      ? sql`${at} <= ${before.at}::timestamptz AND (${at} < ${before.at}::timestamptz OR ${key} < ${before.key})`
      : sql`true`
    return { isBelow, newest: sql`ORDER BY ${at} DESC, ${key} DESC LIMIT ${limit}` }
  }
  const of = (
    kind: TimelineKind,
    parts: { from: RawBuilder<unknown>; where: RawBuilder<unknown> },
  ): RawBuilder<unknown> => {
    const { at, id, data } = columns[kind]
    const { isBelow, newest } = page(kind, at, id)
    return sql`(SELECT ${sql.lit(kind)} AS kind, ${id} AS id, ${at} AS at, ${data} AS data
      FROM ${parts.from} WHERE ${parts.where} AND ${isBelow} ${newest})`
  }
  const ofHolds = (where: RawBuilder<unknown>) =>
    of('hold', { from: stepsOfHolds(where, now), where: sql`true` })
  const event = columns.event
  const eventPage = page('event', event.at, event.id)
  const attempt = columns.attempt
  const attemptPage = page('attempt', attempt.at, attempt.id)
  return [
    of('intent', { from: sql`checkout_intents i`, where: intentsOf(owner) }),
    sql`(SELECT 'event' AS kind, found.* FROM unnest(${subjects}::text[]) AS named(subject)
      CROSS JOIN LATERAL (SELECT ${event.id} AS id, ${event.at} AS at, ${event.data} AS data
        FROM inbox_events e WHERE e.subject = named.subject AND ${isOfInterest} AND ${eventPage.isBelow} ${eventPage.newest}) found)`,
    sql`(SELECT 'attempt' AS kind, found.* FROM unnest(${subjects}::text[]) AS named(subject)
      CROSS JOIN LATERAL (SELECT ${attempt.id} AS id, ${attempt.at} AS at, ${attempt.data} AS data
        FROM failed_tries f WHERE f.subject = named.subject AND ${attemptPage.isBelow} ${attemptPage.newest}) found)`,
    of('subscription', { from: sql`subscriptions s`, where: ofOwner('s') }),
    of('invoice', {
      from: sql`(SELECT s.stripe_subscription_id, s.currency, s.livemode, invoice.*
        FROM subscriptions s CROSS JOIN LATERAL (${invoicesOf(sql`owner_id = s.owner_id AND stripe_subscription_id = s.stripe_subscription_id`)}) invoice
        WHERE ${ofOwner('s')}) n`,
      where: sql`true`,
    }),
    of('charge', { from: chargesOf(ofOwner('charges')), where: sql`c.currency IS NOT NULL` }),
    of('transfer', {
      from: sql`ledger_grants g
        CROSS JOIN ${lookupEach(sql`SELECT * FROM ledger_transfers WHERE owner_id = g.owner_id AND grant_id = g.id`, 't')}
        CROSS JOIN LATERAL (
          SELECT account.name, entry.amount, entry.balance_after FROM ledger_accounts account
          JOIN ledger_entries entry
            ON entry.owner_id = account.owner_id AND entry.account_id = account.id AND entry.transfer_id = t.id
          WHERE account.owner_id = g.owner_id AND account.name = g.account) e`,
      where: ofOwner('g'),
    }),
    ofHolds(sql`owner_id = ${owner.owner_id} AND state = 'open'`),
    ...(hold_id === undefined
      ? []
      : [ofHolds(sql`owner_id = ${owner.owner_id} AND state <> 'open' AND id = ${hold_id}::uuid`)]),
    ...(hold_id === undefined || with_usage
      ? []
      : [
          of('transfer', {
            from: sql`ledger_keys k
              CROSS JOIN ${lookupEach(sql`SELECT * FROM ledger_transfers WHERE id = k.transfer_id AND owner_id = k.owner_id`, 't')}
              CROSS JOIN ${changeOfOwner}`,
            where: sql`k.owner_id = ${owner.owner_id} AND k.idempotency_key IN ${keysOfHold(sql`${hold_id}::text`)}`,
          }),
        ]),
    // A dry run has changed nothing.
    of('act', { from: sql`support_acts a`, where: sql`${ofOwner('a')} AND NOT a.is_dry_run` }),
    ...(with_usage ? [usageOf(owner, { before, limit })] : []),
    ...(owner.owner_kind === 'organization'
      ? [
          of('seat', { from: sql`seats p`, where: sql`p.organization_id = ${owner.owner_id}` }),
          of('invitation', {
            from: sql`team_invitations v`,
            where: sql`v.organization_id = ${owner.owner_id}`,
          }),
        ]
      : [
          of('seat', {
            from: sql`seats p`,
            where: sql`p.user_id = ${owner.owner_id} AND p.status = 'active'`,
          }),
        ]),
  ]
}

function sourceById(kind: TimelineKind, id: string): RawBuilder<unknown> | null {
  const { at, id: idColumn, data } = columns[kind]
  const row = (from: RawBuilder<unknown>, where: RawBuilder<unknown>) =>
    sql`SELECT ${sql.lit(kind)} AS kind, ${idColumn} AS id, ${at} AS at, ${data} AS data FROM ${from} WHERE ${where}`
  const isNumber = /^\d{1,16}$/.test(id)
  const isUuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(id)
  switch (kind) {
    case 'intent':
      if (isUuid) return row(sql`checkout_intents i`, sql`i.id = ${id}::uuid`)
      return row(sql`checkout_intents i`, sql`i.stripe_session_id = ${id}`)
    case 'event':
      return row(sql`inbox_events e`, sql`e.source IN ('stripe', 'clerk') AND e.id = ${id}`)
    case 'attempt':
      return isNumber ? row(sql`failed_tries f`, sql`f.id = ${id}::bigint`) : null
    case 'subscription':
      return row(sql`subscriptions s`, sql`s.stripe_subscription_id = ${id}`)
    case 'invoice':
      return row(
        sql`(SELECT invoice.*, s.currency, s.livemode
          FROM (${invoicesOf(sql`stripe_invoice_id = ${id}`, sql`stripe_subscription_id`)}) invoice
          JOIN subscriptions s USING (owner_id, stripe_subscription_id)) n`,
        sql`true`,
      )
    case 'charge':
      return row(chargesOf(sql`charges.stripe_charge_id = ${id}`), sql`c.currency IS NOT NULL`)
    case 'transfer':
      if (!isNumber) return null
      return row(sql`ledger_transfers t CROSS JOIN ${changeOfOwner}`, sql`t.id = ${id}::bigint`)
    case 'act':
      return isUuid ? row(sql`support_acts a`, sql`a.id = ${id}::uuid`) : null
    case 'hold':
      if (!isUuid) return null
      return row(
        sql`ledger_holds h CROSS JOIN LATERAL (SELECT 'reserved' AS name, h.opened_at AS at) step`,
        sql`h.id = ${id}::uuid`,
      )
    case 'seat':
      return isNumber ? row(sql`seats p`, sql`p.id = ${id}::bigint`) : null
    case 'invitation':
      if (isUuid) return row(sql`team_invitations v`, sql`v.id = ${id}::uuid`)
      return row(sql`team_invitations v`, sql`v.clerk_invitation_id = ${id}`)
  }
}

/** Charges, with the currency of their purchase: none while their invoice is unknown. */
function chargesOf(where: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`(SELECT charges.*, coalesce(bought.currency, s.currency) AS currency FROM charges
    LEFT JOIN ${lookupEach(
      sql`SELECT currency FROM checkout_intents WHERE owner_id = charges.owner_id AND id = charges.intent_id`,
      'bought',
    )} ON true
    LEFT JOIN LATERAL (SELECT stripe_subscription_id FROM paid_invoice_lines line
      WHERE line.owner_id = charges.owner_id AND line.stripe_invoice_id = charges.stripe_invoice_id LIMIT 1) line ON true
    LEFT JOIN ${lookupEach(
      sql`SELECT currency FROM subscriptions
        WHERE owner_id = charges.owner_id AND stripe_subscription_id = line.stripe_subscription_id`,
      's',
    )} ON true
    WHERE ${where}) c`
}

/** An endpoint may be sent event types that it did not ask for; they have no effect and are not shown. */
const isOfInterest = sql`(e.state <> 'ignored' OR e.type = ANY (${[...stripeEventTypes, ...clerkEventTypes]}))`

/** Uses of credits; one that took from both accounts is a row with the sum. */
function usageOf(
  { owner_kind, owner_id }: Owner,
  { before, limit }: Pick<SourceOptions, 'before' | 'limit'>,
): RawBuilder<unknown> {
  const isBelow = before?.usage_before == null ? sql`true` : sql`entry.transfer_id < ${before.usage_before}`
  return sql`(SELECT 'transfer' AS kind, t.id::text AS id, t.posted_at AS at, ${columns.transfer.data} AS data
    FROM (
      SELECT transfer_id, sum(amount) AS amount, min(balance_after) AS balance_after, min(name) AS name FROM (
        SELECT account.name, of_account.* FROM ledger_accounts account
        CROSS JOIN LATERAL (
          SELECT entry.transfer_id, entry.amount, entry.balance_after FROM ledger_entries entry
          CROSS JOIN ${lookupEach(
            sql`SELECT kind FROM ledger_transfers WHERE id = entry.transfer_id AND owner_id = account.owner_id`,
            'transfer',
          )}
          WHERE entry.owner_id = account.owner_id AND entry.account_id = account.id AND transfer.kind = 'usage' AND ${isBelow}
          ORDER BY entry.transfer_id DESC LIMIT ${limit}) of_account
        WHERE account.owner_kind = ${owner_kind} AND account.owner_id = ${owner_id}) entries
      GROUP BY transfer_id ORDER BY transfer_id DESC LIMIT ${limit}) e
    CROSS JOIN ${lookupEach(sql`SELECT * FROM ledger_transfers WHERE id = e.transfer_id AND owner_id = ${owner_id}`, 't')})`
}
