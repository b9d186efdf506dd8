import { CompiledQuery, type Kysely, sql } from 'kysely'
import { retryConflicts } from '../../database/retry.ts'
import type { DB } from '../../database/types.ts'
import { inSpan } from '../../tracing.ts'
import type { Owner } from '../accounts.ts'
import { callLedger } from '../call.ts'
import { IdempotencyConflictError, UnbalancedTransferError } from '../errors.ts'
import { usageKey } from '../keys.ts'

export interface Usage extends Owner {
  /** Whole credits, at least 1. */
  readonly credits: number
  /** The reporter's own key; a retry with it is not charged again. */
  readonly idempotency_key: string
  readonly occurred_at: Date
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

/** The same for one of several usages: here a key that was used for something else is a result too, and nothing was posted. */
export type UsageOutcome = Omit<UsageResult, 'outcome'> & {
  readonly outcome: UsageResult['outcome'] | 'conflict'
}

/**
 * Spends credits, plan credits first, or refuses, in one statement. It is refused when both accounts together do not cover it, so
 * a debt of one account blocks as many credits of the other. Throws IdempotencyConflictError when the key was used for something
 * else.
 */
export async function spendCredits(db: Kysely<DB>, usage: Usage): Promise<UsageResult> {
  const [result] = await spendCreditsMany(db, [usage])
  if (!result) throw new Error('The ledger did not decide a usage')
  return refuseConflict(usage, result)
}

/** What became of one of several, as `spendCredits` says it. */
export function refuseConflict(usage: Usage, result: UsageOutcome): UsageResult {
  const { outcome } = result
  if (outcome === 'conflict') {
    const key = usageKey(usage, usage.idempotency_key)
    throw new IdempotencyConflictError(`Transfer ${key} was posted before with another input`)
  }
  return { ...result, outcome }
}

/**
 * Decides several usages, of one owner or of many, in one statement under one lock per owner: each in the given order, with what
 * those before it left, as if they had come one by one, and none fails the others. Results come in the same order.
 */
export async function spendCreditsMany(db: Kysely<DB>, usages: readonly Usage[]): Promise<UsageOutcome[]> {
  if (usages.length === 0) return []
  const [usage] = usages
  const isOne = usage && usages.length === 1
  const decided = await decide(db, usages, () =>
    isOne ? decideOne(db, usage) : decideMany(db, usages, { waits: true }),
  )
  return decided.map((outcome) => {
    if (!outcome) throw new Error('The ledger did not decide a usage')
    return outcome
  })
}

/**
 * The same for those payers whose row nobody has locked: it waits for none. Undefined for the usages of others, and of those who are new to the
 * ledger: nothing was decided about them.
 */
export function spendUnlocked(
  db: Kysely<DB>,
  usages: readonly Usage[],
): Promise<readonly (UsageOutcome | undefined)[]> {
  return decide(db, usages, () => decideMany(db, usages, { waits: false }))
}

function decide<Outcomes>(
  db: Kysely<DB>,
  usages: readonly Usage[],
  work: () => Promise<Outcomes>,
): Promise<Outcomes> {
  const attributes = () => ({
    'tidemark.usages': usages.length,
    'tidemark.owner_kinds': [...new Set(usages.map(({ owner_kind }) => owner_kind))],
    'tidemark.credits': usages.reduce((sum, { credits }) => sum + credits, 0),
  })
  return inSpan('ledger use', { attributes }, () => (db.isTransaction ? work() : retryConflicts(work)))
}

function decideOne(db: Kysely<DB>, usage: Usage): Promise<UsageOutcome[]> {
  const { owner_kind, owner_id, credits, occurred_at, actor, reason } = usage
  const key = usageKey(usage, usage.idempotency_key)
  return callLedger<UsageOutcome>(
    db,
    CompiledQuery.raw(
      `/* prepared: ledger_use */
      SELECT outcome, transfer_id, plan, purchased FROM ledger_use($1, $2, $3, $4, $5, $6, $7)`,
      [owner_kind, owner_id, credits, key, occurred_at, actor, reason],
    ),
  )
}

/** Usages of a payer go side by side, in their order. */
async function decideMany(
  db: Kysely<DB>,
  usages: readonly Usage[],
  { waits }: { readonly waits: boolean },
): Promise<(UsageOutcome | undefined)[]> {
  const payers: Owner[] = []
  const firsts: number[] = []
  const sorted: [number, Usage][] = []
  for (const [first, ...more] of Map.groupBy(usages.entries(), ([, usage]) => usage.owner_id).values()) {
    if (!first) continue
    const [, payer] = first
    if (more.some(([, { owner_kind }]) => owner_kind !== payer.owner_kind)) {
      throw new UnbalancedTransferError(`${payer.owner_id} is an owner of another kind`)
    }
    payers.push(payer)
    firsts.push(sorted.length + 1)
    sorted.push(first, ...more)
  }
  const all = <Value>(pick: (usage: Usage) => Value) => sorted.map(([, usage]) => pick(usage))
  const decided = await callLedger<UsageOutcome & { readonly ordinal: number }>(
    db,
    CompiledQuery.raw(
      `/* prepared: ledger_use_many */
      SELECT ordinal, outcome, transfer_id, plan, purchased
      FROM ledger_use_many($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
      [
        payers.map(({ owner_kind }) => owner_kind),
        payers.map(({ owner_id }) => owner_id),
        firsts,
        all(({ owner_id }) => owner_id),
        all(({ credits }) => credits),
        all((usage) => usageKey(usage, usage.idempotency_key)),
        all(({ occurred_at }) => occurred_at.toISOString()),
        all(({ actor }) => actor),
        all(({ reason }) => reason),
        waits,
      ],
    ),
  )
  const outcomes = new Map(decided.map(({ ordinal, ...outcome }) => [sorted[ordinal - 1]?.[0], outcome]))
  return Array.from(usages, (_, index) => outcomes.get(index))
}

/**
 * How many credits the owner has used since a moment, with what is summed and not posted yet; `now` is the product's clock, by which things occur. Reads the owner's own entries, one by
 * one by their keys (OFFSET 0 keeps Postgres from joining whole tables), so that it costs no more when others have used more; and only those
 * of the month of `since` and later ones. What is posted occurred before, or as good as: the database's clock may be a little behind. While the
 * sandbox's clock runs ahead, the time since then is what both clocks agree on at least: that one never passes more slowly.
 */
export async function sumUsageSince(
  db: Kysely<DB>,
  owner: Owner,
  { since, now }: { readonly since: Date; readonly now: Date },
): Promise<number> {
  const firstId = sql`ledger_first_id(ledger_month_of(now() - make_interval(secs => ${(now.getTime() - since.getTime()) / 1000}) - interval '1 day'))`
  const { rows } = await sql<{ used: number }>`
    SELECT (coalesce(-sum(entry.amount), 0) + coalesce((
      SELECT unposted_credits FROM ledger_owners
      WHERE owner_kind = ${owner.owner_kind} AND owner_id = ${owner.owner_id} AND unposted_until > ${since}), 0))::bigint AS used
    FROM ledger_accounts account
    CROSS JOIN LATERAL (
      SELECT transfer_id, amount FROM ledger_entries
      WHERE owner_id = account.owner_id AND account_id = account.id AND transfer_id >= ${firstId} AND amount < 0 OFFSET 0) entry
    CROSS JOIN LATERAL (
      SELECT kind, occurred_at FROM ledger_transfers
      WHERE id = entry.transfer_id AND owner_id = account.owner_id OFFSET 0) transfer
    WHERE account.owner_kind = ${owner.owner_kind} AND account.owner_id = ${owner.owner_id}
      AND transfer.kind = 'usage' AND transfer.occurred_at >= ${since}`.execute(db)
  return rows[0]?.used ?? 0
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
