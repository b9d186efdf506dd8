import { type RawBuilder, sql } from 'kysely'
import type { Currency } from '../../catalogue/currency.ts'
import type { ReadDatabase } from '../../database/connect.ts'
import type { OwnerAccount, TransferKind } from '../accounts.ts'
import type { GrantKind } from '../grants.ts'
import { isAboveHold } from '../hold-keys.ts'
import type { UsageFailure } from '../spend/usage.ts'

/** Whole credits in the owner's two accounts. */
export interface Credits {
  readonly plan: number
  readonly purchased: number
}

/**
 * One transfer as its owner sees it: what it changed, what was there afterwards, and what it belongs to. Or a
 * request that changed nothing, because it failed or cost less than a credit.
 */
export interface Change {
  readonly transfer_id: number
  readonly kind: TransferKind
  /** Why a usage cost nothing; null for all that did. */
  readonly failure: UsageFailure | null
  /** What a usage by tokens cost exactly. */
  readonly cost_thousandths: number | null
  /** What a usage was for, as its editor says; null where it says nothing. */
  readonly model: string | null
  readonly project: string | null
  /** It is the second part of a request, which cost more than was reserved for it. */
  readonly is_above_hold: boolean
  /** Null once it was erased. */
  readonly reason: string | null
  readonly occurred_at: Date
  /** The user's id for a usage. */
  readonly actor: string
  readonly change: Credits
  readonly after: Credits
  /** The kind and the time of the grant that it is about, as far as it is about one. */
  readonly grant_kind: GrantKind | null
  readonly starts_at: Date | null
  readonly ends_at: Date | null
  /** What was bought, when the grant is of a purchase. */
  readonly bought: number | null
  readonly amount_minor: number | null
  readonly currency: Currency | null
  readonly paid_at: Date | null
  /** The invoice or receipt at Stripe. */
  readonly document_id: string | null
}

export interface Explanation {
  /** After the first of the changes. */
  readonly closing: Credits
  /** Newest first. */
  readonly changes: readonly Change[]
  /** Before the last of them. */
  readonly opening: Credits
  /** The page goes on below this transfer; null when there is nothing older. */
  readonly next: number | null
}

/** Transfers that one search reads at most, and how many in one statement. */
const searchLimit = 5000
const searchStep = 1000

export interface ExplanationPage {
  readonly limit: number
  /** Only what occurred before this moment; left out, everything. */
  readonly until?: Date | undefined
  readonly before?: number | undefined
  /** A search: only these changes, each with the balance after it as among all. */
  readonly matches?: ((change: Change) => boolean) | undefined
}

/**
 * What made an owner's balance what it is, or was: every change that had occurred by then, newest first, with
 * the balance after each. The changes of all pages add up to the first closing balance, which without `until`
 * is that of the latest entries. What occurred later is left out of every balance, also what was posted earlier. A search stops
 * after `searchLimit` transfers, so its page may be short or empty and still have a next one.
 */
export async function explainBalance(
  db: ReadDatabase,
  owner_id: string,
  { limit, until, before = Number.MAX_SAFE_INTEGER, matches }: ExplanationPage,
): Promise<Explanation> {
  const bounds = until ? await findBounds(db, owner_id, until) : []
  const { closing, below } = await readTop(db, owner_id, { before, until, bounds })
  // One more than requested shows whether there is a next page.
  const step = matches ? Math.max(searchStep, limit + 1) : limit + 1
  const found: Change[] = []
  let after = closing
  let next: number | null = below
  for (let read = 0; next !== null && found.length <= limit && read < searchLimit; read += step) {
    const rows: ChangeRow[] = await readChanges(db, owner_id, { limit: step, until, below: next })
    for (const { plan, purchased, ...row } of rows) {
      const change = { ...row, change: { plan, purchased }, after }
      if (!matches || matches(change)) found.push(change)
      after = minus(after, change.change)
    }
    next = rows.length < step ? null : (rows.at(-1)?.transfer_id ?? null)
  }
  const changes = found.slice(0, limit)
  const last = changes.at(-1)
  if (last && found.length > limit) {
    next = last.transfer_id
    after = minus(last.after, last.change)
  }
  return { closing, changes, opening: after, next }
}

function minus(balance: Credits, change: Credits): Credits {
  return { plan: balance.plan - change.plan, purchased: balance.purchased - change.purchased }
}

/**
 * How far transfers may have been posted out of the order in which they occurred, in entries of one account.
 */
const disorder = 2000

/** Where the entries of an account begin to be later than a moment. */
interface Bound {
  readonly account: OwnerAccount
  /** All entries above this transfer are later. */
  readonly top: number
  /** The last transfer that is not later. */
  readonly last: number
  /** The later ones up to `top`. */
  readonly later: readonly { readonly transfer_id: number; readonly amount: number }[]
}

/**
 * Ids of transfers grow with time but for a little disorder, so halving finds where they pass the moment, in
 * at most as many steps as an id has binary digits; around that place every entry is looked at.
 */
async function findBounds(db: ReadDatabase, owner_id: string, until: Date): Promise<Bound[]> {
  const entriesOf = (accountId: RawBuilder<unknown>, where: RawBuilder<unknown>) => sql`
    SELECT transfer_id, amount FROM ledger_entries
    WHERE owner_id = ${owner_id} AND account_id = ${accountId} AND ${where}`
  const isLater = sql`
    SELECT occurred_at >= ${until} AS is_later FROM ledger_transfers
    WHERE id = entry.transfer_id AND owner_id = ${owner_id} OFFSET 0`
  const { rows } = await sql<{
    account: OwnerAccount
    transfer_id: number
    amount: number
    is_later: boolean
  }>`
    WITH RECURSIVE half (account_id, account, low, high) AS (
      SELECT account.id, account.name, coalesce(oldest.transfer_id, 1) - 1, coalesce(newest.transfer_id, 0)
      FROM ledger_accounts account
      LEFT JOIN LATERAL (${entriesOf(sql`account.id`, sql`true`)} ORDER BY transfer_id LIMIT 1) oldest ON true
      LEFT JOIN LATERAL (${entriesOf(sql`account.id`, sql`true`)} ORDER BY transfer_id DESC LIMIT 1) newest ON true
      WHERE account.owner_id = ${owner_id}
      UNION ALL
      SELECT half.account_id, half.account,
        CASE WHEN is_later THEN half.low ELSE middle END, CASE WHEN is_later THEN entry.transfer_id - 1 ELSE half.high END
      FROM half
      CROSS JOIN LATERAL (SELECT (half.low + half.high + 1) / 2 AS middle) halves
      CROSS JOIN LATERAL (
        ${entriesOf(sql`half.account_id`, sql`transfer_id <= middle`)} ORDER BY transfer_id DESC LIMIT 1) entry
      CROSS JOIN LATERAL (${isLater}) transfer
      WHERE half.low < half.high)
    SELECT half.account, entry.transfer_id, entry.amount, transfer.is_later
    FROM half
    CROSS JOIN LATERAL (
      (${entriesOf(sql`half.account_id`, sql`transfer_id <= half.low`)} ORDER BY transfer_id DESC LIMIT ${disorder})
      UNION ALL
      (${entriesOf(sql`half.account_id`, sql`transfer_id > half.low`)} ORDER BY transfer_id LIMIT ${disorder})) entry
    CROSS JOIN LATERAL (${isLater}) transfer
    WHERE half.low = half.high`.execute(db)
  const highest = (ids: readonly { readonly transfer_id: number }[]) =>
    ids.reduce((most, { transfer_id }) => Math.max(most, transfer_id), 0)
  return (['plan', 'purchased'] as const).map((account) => {
    const around = rows.filter((row) => row.account === account)
    return {
      account,
      top: highest(around),
      last: highest(around.filter(({ is_later }) => !is_later)),
      later: around.filter(({ is_later }) => is_later),
    }
  })
}

/** The balance below a transfer, or of now, without what is later; and from where to read what made it. */
async function readTop(
  db: ReadDatabase,
  owner_id: string,
  { before, until, bounds }: { before: number; until: Date | undefined; bounds: readonly Bound[] },
): Promise<{ closing: Credits; below: number }> {
  const limitOf = (account: OwnerAccount) => {
    const bound = bounds.find((found) => found.account === account)
    return { below: bound ? Math.min(before, bound.top + 1) : before, later: bound?.later ?? [] }
  }
  const limits = { plan: limitOf('plan'), purchased: limitOf('purchased') }
  const { rows } = await sql<{ account: OwnerAccount; transfer_id: number; balance_after: number }>`
    SELECT account.name AS account, entry.transfer_id, entry.balance_after
    FROM ledger_accounts account
    CROSS JOIN LATERAL (
      SELECT e.transfer_id, e.balance_after FROM ledger_entries e
      WHERE e.owner_id = account.owner_id AND e.account_id = account.id AND e.transfer_id < CASE account.name
        WHEN 'plan' THEN ${limits.plan.below}::bigint ELSE ${limits.purchased.below}::bigint END
      ORDER BY e.transfer_id DESC LIMIT 1) entry
    WHERE account.owner_id = ${owner_id}`.execute(db)
  const balanceOf = (account: OwnerAccount) => {
    const { below, later } = limits[account]
    const posted = rows.find((row) => row.account === account)?.balance_after ?? 0
    return later.reduce((sum, { transfer_id, amount }) => sum - (transfer_id < below ? amount : 0), posted)
  }
  // What is posted meanwhile belongs to no page of this explanation.
  const last = Math.max(
    await findLastFailure(db, owner_id, { before, until }),
    ...(bounds.length > 0 ? bounds.map((bound) => bound.last) : rows.map((row) => row.transfer_id)),
  )
  return {
    closing: { plan: balanceOf('plan'), purchased: balanceOf('purchased') },
    below: Math.min(before, last + 1),
  }
}

/** The id of the last failure that is not later than a moment, or 0. Reads the owner's failures that are. */
async function findLastFailure(
  db: ReadDatabase,
  owner_id: string,
  { before, until }: { before: number; until: Date | undefined },
): Promise<number> {
  const { rows } = await sql<{ id: number }>`
    SELECT id FROM ledger_failures
    WHERE owner_id = ${owner_id} AND id < ${before}::bigint AND ${until ? sql`occurred_at < ${until}` : sql`true`}
    ORDER BY id DESC LIMIT 1`.execute(db)
  return rows[0]?.id ?? 0
}

type ChangeRow = Credits & Omit<Change, 'change' | 'after'>

/**
 * Reads as much of each account and of the failures downwards, merges them and looks up the rows by their
 * keys, until there are enough.
 */
async function readChanges(
  db: ReadDatabase,
  owner_id: string,
  page: { limit: number; until: Date | undefined; below: number },
): Promise<ChangeRow[]> {
  const { limit, until } = page
  const found: ChangeRow[] = []
  let below = page.below
  while (found.length < limit) {
    const { rows } = await sql<ChangeRow>`
      WITH entry AS MATERIALIZED (
        SELECT account.name AS account, of_account.transfer_id, of_account.amount
        FROM ledger_accounts account
        CROSS JOIN LATERAL (
          SELECT e.transfer_id, e.amount FROM ledger_entries e
          WHERE e.owner_id = account.owner_id AND e.account_id = account.id AND e.transfer_id < ${below}::bigint
          ORDER BY e.transfer_id DESC LIMIT ${limit}) of_account
        WHERE account.owner_id = ${owner_id}
        UNION ALL
        (SELECT 'failure', id, 0 FROM ledger_failures
        WHERE owner_id = ${owner_id} AND id < ${below}::bigint
        ORDER BY id DESC LIMIT ${limit})),
      change AS MATERIALIZED (
        SELECT transfer_id, bool_or(account = 'failure') AS has_failed,
          coalesce(sum(amount) FILTER (WHERE account = 'plan'), 0)::bigint AS plan,
          coalesce(sum(amount) FILTER (WHERE account = 'purchased'), 0)::bigint AS purchased
        FROM entry GROUP BY transfer_id ORDER BY transfer_id DESC LIMIT ${limit})
      SELECT change.transfer_id, change.plan, change.purchased, said.kind, said.failure, said.cost_thousandths, said.reason, said.model,
        said.project, said.is_above_hold, said.occurred_at, said.actor, g.kind AS grant_kind, g.starts_at, g.ends_at,
        i.credits AS bought, i.amount_minor, i.currency, i.settled_at AS paid_at,
        coalesce(g.stripe_invoice_id, i.stripe_session_id, i.stripe_invoice_id) AS document_id
      FROM change
      CROSS JOIN LATERAL (
        SELECT kind, NULL AS failure, cost AS cost_thousandths, reason, model, project, ${isAboveHold(sql`idempotency_key`)} AS is_above_hold, occurred_at, actor, grant_id
        FROM ledger_transfers
        WHERE NOT change.has_failed AND id = change.transfer_id AND owner_id = ${owner_id}
        UNION ALL
        SELECT 'usage', failure, cost, reason, model, project, false, occurred_at, actor, NULL FROM ledger_failures
        WHERE change.has_failed AND id = change.transfer_id AND owner_id = ${owner_id} OFFSET 0) said
      LEFT JOIN LATERAL (
        SELECT * FROM ledger_grants WHERE owner_id = ${owner_id} AND id = said.grant_id OFFSET 0) g ON true
      LEFT JOIN LATERAL (
        SELECT * FROM checkout_intents WHERE g.kind = 'purchase' AND id = g.intent_id OFFSET 0) i ON true
      ORDER BY change.transfer_id DESC`.execute(db)
    found.push(...rows.filter(({ occurred_at }) => !until || occurred_at < until))
    const lowest = rows.at(-1)
    if (!lowest || rows.length < limit) break
    below = lowest.transfer_id
  }
  return found.slice(0, limit)
}
