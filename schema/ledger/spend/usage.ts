import { CompiledQuery, type Kysely, sql } from 'kysely'
import type { BudgetPeriod, BudgetScope } from '../../api/budgets.ts'
import type { TokenRates } from '../../catalogue/token-rates.ts'
import { retryConflicts } from '../../database/retry.ts'
import type { DB } from '../../database/types.ts'
import { inSpan } from '../../tracing.ts'
import { callLedger } from '../call.ts'
import { IdempotencyConflictError } from '../errors.ts'
import { usageKey } from '../keys.ts'
import type { SpendableBalance } from '../spendable.ts'

/** What an editor says of a usage: free text of at most 64 characters, which may be erased. */
export interface UsageLabels {
  /** The token of the editor. */
  readonly token_id?: string | null
  readonly model?: string | undefined
  readonly project?: string | undefined
  readonly run?: string | undefined
}

/** Why a request failed that cost nothing. */
export type UsageFailure = 'provider_error' | 'timeout' | 'empty' | 'cancelled'

/** Who asks, and who pays: the owner. */
interface Asked {
  readonly owner_id: string
  /** By the product's clock. */
  readonly occurred_at: Date
  /** The id of the user whose editor asks. */
  readonly actor: string
  /** The operator's key with which a service asks for them; a hold is that key's alone then. */
  readonly operator_key_id?: string | null
}

/** What a request cost. */
interface Cost {
  /** Whole credits, 0 for a failure. */
  readonly credits: number
  /** Where its tokens have a price, in place of `credits`: thousandths of a credit, at least 1. */
  readonly cost_thousandths?: number | undefined
}

/** A report of usage. */
export interface Usage extends Asked, UsageLabels, Cost {
  readonly action?: 'use'
  /** The reporter's own key; a retry with it is not charged again. */
  readonly idempotency_key: string
  readonly reason: string
  /** The request failed: it costs nothing and is counted. */
  readonly failure?: UsageFailure | undefined
}

/** Holds credits for a request that is about to be made. */
export interface Reservation extends Asked, UsageLabels {
  readonly action: 'reserve'
  /** Whole credits, at least 1. */
  readonly credits: number
  /** When fewer are available, that many are enough. */
  readonly at_least?: number | undefined
  /** The most that all holds of this person with this `run` may take together. */
  readonly run_limit?: number | undefined
  /** What the tokens of its model cost, whenever it is settled. */
  readonly rates?: TokenRates | undefined
  readonly idempotency_key: string
  readonly reason: string
  readonly lasting_s: number
}

/** Says what a request cost that credits were held for, which may be more than was held. */
export interface Settlement extends Asked, Cost {
  readonly action: 'settle'
  readonly hold_id: string
  /** Whether the person may spend of this owner today, which what is above the hold, or late, needs. */
  readonly may_spend: boolean
  readonly failure?: UsageFailure | undefined
}

export interface HoldRelease extends Asked {
  readonly action: 'release'
  readonly hold_id: string
}

export interface HoldExtension extends Asked {
  readonly action: 'extend'
  readonly hold_id: string
  readonly lasting_s: number
}

/** What an editor may ask of the ledger. */
export type SpendRequest = Usage | Reservation | Settlement | HoldRelease | HoldExtension

export type HoldState = 'open' | 'settled' | 'released' | 'expired' | 'settled_late'

export interface Hold {
  readonly id: string
  readonly state: HoldState
  /** What was reserved. */
  readonly credits: number
  readonly opened_at: Date
  readonly expires_at: Date
  /** What its request cost, whole with the rest before it; null until it is settled. */
  readonly settled_credits: number | null
}

/** The budget of which the least is left to a person, before what was asked for. */
export interface NearestBudget {
  /** Null for a `run`. */
  readonly budget_id: string | null
  readonly scope: BudgetScope | 'run'
  readonly period: BudgetPeriod | null
  /** The limit, with what it was raised by for this period. */
  readonly credits: number
  readonly used: number
  readonly held: number
  /** The day, by UTC, on which the next period begins; null for a run. */
  readonly ends_on: string | null
}

/** The balance is that after the decision; on a refusal it says what was there. */
export interface SpendOutcome extends SpendableBalance {
  /**
   * `posted`: done, also where nothing is posted. `replayed`: the same was asked for before. `refused`: not
   * enough is available. `over_budget`: enough is, but `budget` has less left. `conflict`: the key was used for
   * something else. `not_found`: no such hold of this person, owner and operator’s key. `too_many`: the person's
   * open holds. The others are states of a hold that do not allow
   * what was asked for.
   */
  readonly outcome:
    | 'posted'
    | 'replayed'
    | 'refused'
    | 'over_budget'
    | 'conflict'
    | 'not_found'
    | 'too_many'
    | 'settled'
    | 'released'
    | 'expired'
  readonly transfer_id: number | null
  /** What a usage or a settlement took, now or earlier. */
  readonly charged: number
  /** The hold that was asked about, as it is now. */
  readonly hold: Hold | null
  readonly budget: NearestBudget | null
}

/** What became of one request. Throws IdempotencyConflictError when its key was used for something else. */
export function refuseConflict(
  { actor }: SpendRequest,
  { outcome, ...result }: SpendOutcome,
): SpendOutcome & { readonly outcome: Exclude<SpendOutcome['outcome'], 'conflict'> } {
  if (outcome === 'conflict') {
    // The key is the editor's text, which is stored nowhere and logged nowhere.
    throw new IdempotencyConflictError(`A key of ${actor} was used before with another input`)
  }
  return { ...result, outcome }
}

/**
 * Spends, reserves and settles credits, plan credits first, or refuses: several requests, of one owner or of
 * many, in one statement under one lock per owner. Each is decided in the given order, with what those before
 * it left, and none fails the others. A usage is refused when both accounts together do not cover it beside
 * what is held, so a debt of one account blocks as many credits of the other. Results come in the same order.
 */
export async function spendCredits(
  db: Kysely<DB>,
  requests: readonly SpendRequest[],
): Promise<SpendOutcome[]> {
  const decided = await decide(db, requests, { skipLocked: false })
  return decided.map((outcome) => {
    if (!outcome) throw new Error('The ledger did not decide a request')
    return outcome
  })
}

/**
 * The same for those owners whose row no other transaction has locked: it waits for none. Undefined for the
 * requests of others, and of owners who are new to the ledger: nothing was decided about them.
 */
export function spendSkippingLocked(
  db: Kysely<DB>,
  requests: readonly SpendRequest[],
): Promise<readonly (SpendOutcome | undefined)[]> {
  return decide(db, requests, { skipLocked: true })
}

interface DecidedRow extends Omit<SpendOutcome, 'hold'> {
  readonly ordinal: number
  readonly hold_id: string | null
  readonly hold_state: HoldState
  readonly hold_credits: number
  readonly hold_opened_at: Date
  readonly hold_expires_at: Date
  readonly hold_settled_credits: number | null
}

async function decide(
  db: Kysely<DB>,
  requests: readonly SpendRequest[],
  { skipLocked }: { readonly skipLocked: boolean },
): Promise<(SpendOutcome | undefined)[]> {
  if (requests.length === 0) return []
  const attributes = () => ({
    'tidemark.usages': requests.length,
    'tidemark.credits': requests.reduce(
      (sum, request) => sum + ('credits' in request ? request.credits : 0),
      0,
    ),
  })
  const call = CompiledQuery.raw(
    `/* prepared: ledger_spend */
    SELECT ordinal, outcome, transfer_id, charged, budget, (owner).plan_balance AS plan, (owner).purchased_balance AS purchased,
      (owner).held, (hold).id AS hold_id, (hold).state AS hold_state, (hold).credits AS hold_credits,
      (hold).opened_at AS hold_opened_at, (hold).expires_at AS hold_expires_at, (hold).settled_credits AS hold_settled_credits
    FROM ledger_spend($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21)`,
    [...parametersOf(requests), skipLocked, ...pricesOf(requests)],
  )
  const work = () => callLedger<DecidedRow>(db, call)
  const decided = await inSpan('ledger spend', { attributes }, () =>
    db.isTransaction ? work() : retryConflicts(work),
  )
  const outcomes = new Map(decided.map(({ ordinal, ...row }) => [ordinal, outcomeOf(row)]))
  return requests.map((_, index) => outcomes.get(index + 1))
}

function pick(requests: readonly SpendRequest[], of: (request: SpendRequest) => unknown): unknown[] {
  return requests.map((request) => {
    const value = of(request)
    return value === undefined || value === false ? null : value
  })
}

/** The last parameters, after `skip_locked`. */
function pricesOf(requests: readonly SpendRequest[]): unknown[][] {
  return [
    pick(requests, (request) => 'cost_thousandths' in request && request.cost_thousandths),
    pick(requests, (request) => 'rates' in request && request.rates && JSON.stringify(request.rates)),
  ]
}

/** Column by column, in the order of the function's parameters. */
function parametersOf(requests: readonly SpendRequest[]): unknown[][] {
  const all = (of: (request: SpendRequest) => unknown) => pick(requests, of)
  return [
    all(({ owner_id }) => owner_id),
    all(({ action = 'use' }) => action),
    all((request) => ('credits' in request ? request.credits : 0)),
    all((request) =>
      'idempotency_key' in request ? usageKey(request, request.idempotency_key) : request.hold_id,
    ),
    all(({ occurred_at }) => occurred_at.toISOString()),
    all(({ actor }) => actor),
    all((request) => ('reason' in request ? request.reason : '')),
    all((request) => 'token_id' in request && request.token_id),
    all((request) => 'model' in request && request.model),
    all((request) => 'project' in request && request.project),
    all((request) => 'run' in request && request.run),
    all((request) => 'failure' in request && request.failure),
    all((request) => 'hold_id' in request && request.hold_id),
    all((request) => 'at_least' in request && request.at_least),
    all((request) => 'lasting_s' in request && request.lasting_s),
    all((request) => 'may_spend' in request && request.may_spend),
    all(({ operator_key_id }) => operator_key_id),
    all((request) => 'run_limit' in request && request.run_limit),
  ]
}

function outcomeOf({
  hold_id: id,
  hold_state: state,
  hold_credits: credits,
  hold_opened_at: opened_at,
  hold_expires_at: expires_at,
  hold_settled_credits: settled_credits,
  ...row
}: Omit<DecidedRow, 'ordinal'>): SpendOutcome {
  return { ...row, hold: id === null ? null : { id, state, credits, opened_at, expires_at, settled_credits } }
}

/**
 * How many credits each user has used of the owner's since a moment of the product's clock, by the users' ids.
 * Reads the owner's own entries by their keys (OFFSET 0 keeps Postgres from joining whole tables), from the
 * first usage of that day on.
 */
export async function sumUsageByUser(
  db: Kysely<DB>,
  owner_id: string,
  since: Date,
): Promise<ReadonlyMap<string, number>> {
  const { rows } = await sql<{ actor: string; used: number }>`
    SELECT transfer.actor, -sum(entry.amount)::bigint AS used
    FROM ledger_accounts account
    CROSS JOIN LATERAL (
      SELECT transfer_id, amount FROM ledger_entries
      WHERE owner_id = account.owner_id AND account_id = account.id AND amount < 0 AND transfer_id >= (
        SELECT min(first_id) FROM ledger_usage_days
        WHERE owner_id = ${owner_id} AND day >= (${since}::timestamptz AT TIME ZONE 'UTC')::date) OFFSET 0) entry
    CROSS JOIN LATERAL (
      SELECT kind, actor, occurred_at FROM ledger_transfers
      WHERE id = entry.transfer_id AND owner_id = account.owner_id OFFSET 0) transfer
    WHERE account.owner_id = ${owner_id}
      AND transfer.kind = 'usage' AND transfer.occurred_at >= ${since}
    GROUP BY transfer.actor`.execute(db)
  return new Map(rows.map(({ actor, used }) => [actor, used]))
}

/** The same for all users together. */
export async function sumUsageSince(db: Kysely<DB>, owner_id: string, since: Date): Promise<number> {
  let sum = 0
  for (const used of (await sumUsageByUser(db, owner_id, since)).values()) sum += used
  return sum
}

/** When the owner's billing month began, or null when no month is running. */
export async function findMonthStart(db: Kysely<DB>, owner_id: string, now: Date): Promise<Date | null> {
  const grant = await db
    .selectFrom('ledger_grants')
    .select('month_starts_at')
    .where('owner_id', '=', owner_id)
    .where('kind', '=', 'month')
    .where('starts_at', '<=', now)
    .where('ends_at', '>', now)
    .orderBy('month_starts_at', 'desc')
    .limit(1)
    .executeTakeFirst()
  return grant?.month_starts_at ?? null
}
