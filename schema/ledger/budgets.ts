import { type Kysely, sql } from 'kysely'
import type { BudgetPeriod, BudgetScope } from '../api/budgets.ts'
import type { DB } from '../database/types.ts'

/** A budget in its period of a moment, of one person or of all. */
export interface Budget {
  /** Whose spending has to pass it. */
  readonly person: string
  readonly id: string
  readonly scope: BudgetScope
  /** Of a `member`. */
  readonly user_id: string | null
  readonly period: BudgetPeriod
  /** The limit of this period, in whole credits. */
  readonly credits: number
  /** By how much it was raised for this period alone. */
  readonly extra: number
  readonly used: number
  /** What of it was used before the budget was made. */
  readonly used_before: number
  /** Of open holds. */
  readonly held: number
  /** Below zero after the limit was lowered. */
  readonly left: number
  /** Midnight, UTC. */
  readonly starts_at: Date
  readonly resets_at: Date
  readonly refused: number
  readonly refused_at: Date | null
  readonly refused_actor: string | null
  readonly refused_credits: number | null
  readonly asked_by: string | null
  readonly asked_at: Date | null
}

/**
 * The budgets that what these people spend of an owner's credits has to pass at a moment of the product's clock:
 * of each person, that of which the least is left first.
 */
export async function listBudgets(
  db: Kysely<DB>,
  of: { readonly owner_id: string; readonly people: readonly string[]; readonly now: Date },
): Promise<Budget[]> {
  const { owner_id, people, now } = of
  const { rows } = await sql<Budget>`
    SELECT person, m.id, m.scope, m.user_id, m.period, b.credits, coalesce(p.extra, 0)::bigint AS extra, b.used,
      coalesce(p.used_before, CASE WHEN (m.made_at AT TIME ZONE 'UTC')::date >= b.starts_on THEN b.used ELSE 0 END) AS used_before,
      b.held, b.left, b.starts_on::timestamp AT TIME ZONE 'UTC' AS starts_at, b.ends_on::timestamp AT TIME ZONE 'UTC' AS resets_at,
      coalesce(p.refused, 0) AS refused, p.refused_at, p.refused_actor, p.refused_credits, p.asked_by, p.asked_at
    FROM unnest(${people}::text[]) WITH ORDINALITY AS given (person, ordinal)
    CROSS JOIN LATERAL ledger_budgets_of(${owner_id}, person, ${now}, NULL, NULL, NULL) b
    JOIN ledger_budgets m ON m.owner_id = ${owner_id} AND m.id = b.budget_id
    LEFT JOIN ledger_budget_periods p
      ON (p.owner_id, p.actor, p.ends_on, p.budget_id) = (m.owner_id, b.actor, b.ends_on, m.id) AND p.starts_on = b.starts_on
    ORDER BY ordinal, b.left, m.scope`.execute(db)
  return rows
}

export interface SetBudget {
  readonly owner_id: string
  readonly scope: BudgetScope
  /** Of a `member`. */
  readonly user_id: string | null
  /** Whole credits, from 0; null removes the budget. */
  readonly credits: number | null
  readonly period: BudgetPeriod
  readonly set_by: string
  readonly now: Date
}

export async function setBudget(db: Kysely<DB>, budget: SetBudget): Promise<void> {
  const { owner_id, scope, user_id, credits, period, set_by, now } = budget
  await sql`SELECT ledger_set_budget(${owner_id}, ${scope}, ${user_id}, ${credits}, ${period}, ${set_by}, ${now})`.execute(
    db,
  )
}

interface BudgetOfPerson {
  readonly owner_id: string
  readonly budget_id: string
  /** Whose spending it limits; of a budget for all, any user's id. */
  readonly person: string
  readonly now: Date
}

/** Raises the limit of this period alone, to so many credits. Returns false where it is as high already. */
export function raiseBudget(
  db: Kysely<DB>,
  { credits, ...of }: BudgetOfPerson & { readonly credits: number },
): Promise<boolean> {
  return changePeriod(db, { ...of, credits })
}

/** Writes down that the person asks for more. Returns false where a member has asked already. */
export function askForMore(db: Kysely<DB>, of: BudgetOfPerson): Promise<boolean> {
  return changePeriod(db, { ...of, credits: null })
}

async function changePeriod(
  db: Kysely<DB>,
  { owner_id, budget_id, person, credits, now }: BudgetOfPerson & { readonly credits: number | null },
): Promise<boolean> {
  const { rows } = await sql<{ changed: boolean }>`
    SELECT ledger_change_budget_period(${owner_id}, ${budget_id}, ${person}, ${credits}, ${now}) AS changed`.execute(
    db,
  )
  return rows[0]?.changed ?? false
}

/** What each member may use who has no limit of their own; null where there is none. */
export async function findMemberDefault(
  db: Kysely<DB>,
  owner_id: string,
): Promise<{ readonly limit: number; readonly period: BudgetPeriod } | null> {
  const found = await db
    .selectFrom('ledger_budgets')
    .select(['credits as limit', 'period'])
    .where('owner_id', '=', owner_id)
    .where('scope', '=', 'member_default')
    .executeTakeFirst()
  return found ? { limit: found.limit, period: found.period as BudgetPeriod } : null
}
