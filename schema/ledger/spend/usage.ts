import { CompiledQuery, type Kysely, sql } from 'kysely'
import { retryConflicts } from '../../database/retry.ts'
import type { DB } from '../../database/types.ts'
import { inSpan } from '../../tracing.ts'
import type { Owner } from '../accounts.ts'
import { callLedger } from '../call.ts'
import { IdempotencyConflictError } from '../errors.ts'
import { usageKey } from '../keys.ts'

/** A report of usage. The owner pays. */
export interface Usage extends Owner {
  /** Whole credits, at least 1. */
  readonly credits: number
  /** The reporter's own key; a retry with it is not charged again. */
  readonly idempotency_key: string
  readonly occurred_at: Date
  /** The id of the user who reports it. */
  readonly actor: string
  readonly reason: string
}

/** `plan` and `purchased` are the balances after the decision; on a refusal they say what was there. */
export type UsageResult = {
  readonly outcome: 'posted' | 'replayed' | 'refused'
  readonly transfer_id: number | null
  readonly plan: number
  readonly purchased: number
}

/**
 * The same for one of several usages: here a key that was used for something else is a result too, and
 * nothing was posted.
 */
export type UsageOutcome = Omit<UsageResult, 'outcome'> & {
  readonly outcome: UsageResult['outcome'] | 'conflict'
}

/** What became of one usage. Throws IdempotencyConflictError when its key was used for something else. */
export function refuseConflict(usage: Usage, result: UsageOutcome): UsageResult {
  const { outcome } = result
  if (outcome === 'conflict') {
    // The key is the editor's text, which is stored nowhere and logged nowhere.
    throw new IdempotencyConflictError(`A key of ${usage.actor} was used before with another input`)
  }
  return { ...result, outcome }
}

/**
 * Spends credits, plan credits first, or refuses: several usages, of one owner or of many, in one statement
 * under one lock per owner. Each is decided in the given order, with what those before it left, and none
 * fails the others. A usage is refused when both accounts together do not cover it, so a debt of one account
 * blocks as many credits of the other. Results come in the same order.
 */
export async function spendCredits(db: Kysely<DB>, usages: readonly Usage[]): Promise<UsageOutcome[]> {
  const decided = await decide(db, usages, { skipLocked: false })
  return decided.map((outcome) => {
    if (!outcome) throw new Error('The ledger did not decide a usage')
    return outcome
  })
}

/**
 * The same for those owners whose row no other transaction has locked: it waits for none. Undefined for the
 * usages of others, and of owners who are new to the ledger: nothing was decided about them.
 */
export function spendSkippingLocked(
  db: Kysely<DB>,
  usages: readonly Usage[],
): Promise<readonly (UsageOutcome | undefined)[]> {
  return decide(db, usages, { skipLocked: true })
}

async function decide(
  db: Kysely<DB>,
  usages: readonly Usage[],
  { skipLocked }: { readonly skipLocked: boolean },
): Promise<(UsageOutcome | undefined)[]> {
  if (usages.length === 0) return []
  const all = <Value>(pick: (usage: Usage) => Value) => usages.map(pick)
  const attributes = () => ({
    'tidemark.usages': usages.length,
    'tidemark.owner_kinds': [...new Set(all(({ owner_kind }) => owner_kind))],
    'tidemark.credits': usages.reduce((sum, { credits }) => sum + credits, 0),
  })
  const call = CompiledQuery.raw(
    `/* prepared: ledger_spend */
    SELECT ordinal, outcome, transfer_id, plan, purchased FROM ledger_spend($1, $2, $3, $4, $5, $6, $7, $8)`,
    [
      all(({ owner_kind }) => owner_kind),
      all(({ owner_id }) => owner_id),
      all(({ credits }) => credits),
      all(({ actor, idempotency_key }) => usageKey(actor, idempotency_key)),
      all(({ occurred_at }) => occurred_at.toISOString()),
      all(({ actor }) => actor),
      all(({ reason }) => reason),
      skipLocked,
    ],
  )
  const work = () => callLedger<UsageOutcome & { readonly ordinal: number }>(db, call)
  const decided = await inSpan('ledger spend', { attributes }, () =>
    db.isTransaction ? work() : retryConflicts(work),
  )
  const outcomes = new Map(decided.map(({ ordinal, ...outcome }) => [ordinal, outcome]))
  return usages.map((_, index) => outcomes.get(index + 1))
}

/**
 * How many credits each user has used of the owner's since a moment of the product's clock, `now`, by the
 * users' ids. Reads the owner's own entries by their keys (OFFSET 0 keeps Postgres from joining whole
 * tables), from the month of `since` on. Entries are found by the time of posting, which the database's clock
 * says: a day is allowed for clocks that differ, and where the sandbox's clock runs ahead, the time that has
 * passed since then counts, because that clock never passes more slowly.
 */
export async function sumUsageByUser(
  db: Kysely<DB>,
  owner: Owner,
  { since, now }: { readonly since: Date; readonly now: Date },
): Promise<ReadonlyMap<string, number>> {
  const firstId = sql`ledger_first_id(ledger_month_of(now() - make_interval(secs => ${(now.getTime() - since.getTime()) / 1000}) - interval '1 day'))`
  const { rows } = await sql<{ actor: string; used: number }>`
    SELECT transfer.actor, -sum(entry.amount)::bigint AS used
    FROM ledger_accounts account
    CROSS JOIN LATERAL (
      SELECT transfer_id, amount FROM ledger_entries
      WHERE owner_id = account.owner_id AND account_id = account.id AND transfer_id >= ${firstId} AND amount < 0 OFFSET 0) entry
    CROSS JOIN LATERAL (
      SELECT kind, actor, occurred_at FROM ledger_transfers
      WHERE id = entry.transfer_id AND owner_id = account.owner_id OFFSET 0) transfer
    WHERE account.owner_kind = ${owner.owner_kind} AND account.owner_id = ${owner.owner_id}
      AND transfer.kind = 'usage' AND transfer.occurred_at >= ${since}
    GROUP BY transfer.actor`.execute(db)
  return new Map(rows.map(({ actor, used }) => [actor, used]))
}

/** The same for all users together. */
export async function sumUsageSince(
  db: Kysely<DB>,
  owner: Owner,
  period: { readonly since: Date; readonly now: Date },
): Promise<number> {
  let sum = 0
  for (const used of (await sumUsageByUser(db, owner, period)).values()) sum += used
  return sum
}

/** When the owner's billing month began, or null when no month is running. */
export async function findMonthStart(db: Kysely<DB>, owner: Owner, now: Date): Promise<Date | null> {
  const grant = await db
    .selectFrom('ledger_grants')
    .select('month_starts_at')
    .where('owner_kind', '=', owner.owner_kind)
    .where('owner_id', '=', owner.owner_id)
    .where('kind', '=', 'month')
    .where('starts_at', '<=', now)
    .where('ends_at', '>', now)
    .orderBy('month_starts_at', 'desc')
    .limit(1)
    .executeTakeFirst()
  return grant?.month_starts_at ?? null
}
