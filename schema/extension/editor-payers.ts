import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { PlanType } from '../catalogue/plans.ts'
import { prepared } from '../database/prepared.ts'
import type { DB } from '../database/types.ts'
import type { NearestBudget } from '../ledger/spend/usage.ts'
import type { SpendableBalance } from '../ledger/spendable.ts'
import type { SeatRole } from '../people/seats/seats.ts'
import { liveStatuses } from '../vendors/stripe/statuses.ts'

/** A call of an editor, whose user pays themselves or has a seat in the organization that does. */
export interface AskedPayer {
  readonly user_id: string
  /** Null where the call is not an editor's. */
  readonly token_id: string | null
  /** `personal` or the id of an organization, as the call names it; null for the payer of the token. */
  readonly payer: string | null
}

export interface FoundPayer {
  /** Null when the call names none and the token is there no more. */
  readonly payer: string | null
  /** The user's active seat of the organization; null without one, and for `personal`. */
  readonly seat_role: SeatRole | null
}

export interface AskedBalance extends AskedPayer {
  /** By the product's clock. */
  readonly now: Date
}

export interface EditorBalance extends FoundPayer, SpendableBalance {
  /** Of the limits that the user's spending has to pass, that of which the least is left. */
  readonly budget: NearestBudget | null
  /** Grows with every entry of either account. */
  readonly version: number
  readonly plan_type: PlanType | null
}

/**
 * What the call names, else what the token has now. The token is read at every use, so that no call is paid
 * by a payer that was replaced before it. Because of `OFFSET 0` Postgres cannot plan a look-up as a join, which
 * would read a whole table where it expects many rows, or once expected them and kept the plan.
 */
const chosenPayers = (asked: readonly AskedPayer[]): RawBuilder<unknown> => sql`
  unnest(
    (SELECT ${asked.map(({ user_id }) => user_id)}::text[]),
    (SELECT ${asked.map(({ token_id }) => token_id)}::uuid[]),
    (SELECT ${asked.map(({ payer }) => payer)}::text[])) WITH ORDINALITY AS asked (user_id, token_id, payer, ordinal)
  LEFT JOIN LATERAL (
    SELECT payer FROM extension_tokens
    WHERE asked.payer IS NULL AND user_id = asked.user_id AND id = asked.token_id OFFSET 0) token ON true
  CROSS JOIN LATERAL (SELECT coalesce(asked.payer, token.payer) AS payer) chosen
  LEFT JOIN LATERAL (
    SELECT role FROM seats
    WHERE organization_id = chosen.payer AND user_id = asked.user_id AND status = 'active' OFFSET 0) seat ON true`

/** The payers of many calls in one statement and in their order, each part found by a key. */
export async function findEditorPayers(db: Kysely<DB>, asked: readonly AskedPayer[]): Promise<FoundPayer[]> {
  const statement = sql<FoundPayer>`
    SELECT chosen.payer, seat.role AS seat_role FROM ${chosenPayers(asked)} ORDER BY asked.ordinal`
  const { rows } = await prepared('editor_payers', statement).execute(db)
  return rows
}

/**
 * Everything that an answer to an editor is made of, for many editors in one statement and in their order.
 * Each part is found by a key, one row at a time (OFFSET 0), so that an answer costs no more when there are
 * more of everything.
 */
export async function readEditorBalances(
  db: Kysely<DB>,
  asked: readonly AskedBalance[],
): Promise<EditorBalance[]> {
  const [{ now } = { now: null }] = asked
  const statement = sql<EditorBalance>`
    SELECT chosen.payer, seat.role AS seat_role, coalesce(balance.plan, 0)::bigint AS plan,
      coalesce(balance.purchased, 0)::bigint AS purchased, coalesce(balance.held, 0)::bigint AS held,
      coalesce(balance.version, 0)::bigint AS version,
      coalesce(person.plan_type, subscription.plan_type) AS plan_type, to_jsonb(nearest) AS budget
    FROM ${chosenPayers(asked)}
    CROSS JOIN LATERAL (
      SELECT CASE chosen.payer WHEN 'personal' THEN asked.user_id ELSE chosen.payer END AS owner_id) owner
    LEFT JOIN LATERAL (
      SELECT plan_balance AS plan, purchased_balance AS purchased, held, plan_version + purchased_version AS version
      FROM ledger_owners WHERE owner_id = owner.owner_id OFFSET 0) balance ON true
    LEFT JOIN LATERAL (
      SELECT plan_type FROM users WHERE clerk_id = owner.owner_id OFFSET 0) person ON true
    LEFT JOIN LATERAL (
      SELECT plan_type FROM subscriptions
      WHERE starts_with(owner.owner_id, 'org_') AND owner_id = owner.owner_id
        AND status = ANY(${[...liveStatuses]}::text[]) AND livemode = stripe_livemode() OFFSET 0) subscription ON true
    LEFT JOIN LATERAL (
      SELECT b.* FROM ledger_budgets_of(owner.owner_id, asked.user_id, ${now}, NULL, NULL, NULL) b
      WHERE EXISTS (SELECT FROM ledger_budgets WHERE owner_id = owner.owner_id) ORDER BY b.left, b.scope LIMIT 1) nearest ON true
    ORDER BY asked.ordinal`
  const { rows } = await prepared('editor_balances', statement).execute(db)
  return rows
}
