import { type Kysely, sql } from 'kysely'
import type { PlanType } from '../catalogue/plans.ts'
import { prepared } from '../database/prepared.ts'
import type { DB } from '../database/types.ts'
import type { Owner } from '../ledger/accounts.ts'
import type { SpendableBalance } from '../ledger/spendable.ts'
import { liveStatuses } from '../stripe/statuses.ts'

/** The owner of the balance, and the user of the editor. */
export interface AskedBalance extends Owner {
  readonly user_id: string
}

export interface EditorBalance extends SpendableBalance {
  /** The user's seat, where the owner is an organization. Without one they may not see the rest. */
  readonly seat_role: 'admin' | 'member' | null
  /** Grows with every entry of either account. */
  readonly version: number
  readonly plan_type: PlanType | null
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
  const statement = sql<EditorBalance>`
    SELECT seat.role AS seat_role, coalesce(balance.plan, 0)::bigint AS plan,
      coalesce(balance.purchased, 0)::bigint AS purchased, coalesce(balance.held, 0)::bigint AS held,
      coalesce(balance.expiring, 0)::bigint AS expiring, coalesce(balance.version, 0)::bigint AS version,
      coalesce(person.plan_type, subscription.plan_type) AS plan_type
    FROM unnest(
      (SELECT ${asked.map(({ owner_kind }) => owner_kind)}::text[]),
      (SELECT ${asked.map(({ owner_id }) => owner_id)}::text[]),
      (SELECT ${asked.map(({ user_id }) => user_id)}::text[])) WITH ORDINALITY AS asked (owner_kind, owner_id, user_id, ordinal)
    LEFT JOIN LATERAL (
      SELECT role FROM seats
      WHERE asked.owner_kind = 'organization' AND organization_id = asked.owner_id AND user_id = asked.user_id
        AND status = 'active' OFFSET 0) seat ON true
    LEFT JOIN LATERAL (
      SELECT plan_balance AS plan, purchased_balance AS purchased, held, expiring, plan_version + purchased_version AS version
      FROM ledger_owners WHERE owner_kind = asked.owner_kind AND owner_id = asked.owner_id OFFSET 0) balance ON true
    LEFT JOIN LATERAL (
      SELECT plan_type FROM users WHERE asked.owner_kind = 'user' AND clerk_id = asked.owner_id OFFSET 0) person ON true
    LEFT JOIN LATERAL (
      SELECT plan_type FROM subscriptions
      WHERE asked.owner_kind = 'organization' AND owner_kind = asked.owner_kind AND owner_id = asked.owner_id
        AND status = ANY(${[...liveStatuses]}::text[]) AND livemode = stripe_livemode() OFFSET 0) subscription ON true
    ORDER BY asked.ordinal`
  const { rows } = await prepared('editor_balances', statement).execute(db)
  return rows
}
