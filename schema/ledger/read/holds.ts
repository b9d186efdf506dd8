import type { Kysely } from 'kysely'
import type { TokenRates } from '../../catalogue/token-rates.ts'
import { preparedText } from '../../database/prepared.ts'
import type { DB } from '../../database/types.ts'
import type { Hold } from '../spend/usage.ts'

export interface HoldOfActor {
  readonly hold_id: string
  /** The person that it is for; null where an operator's key asks, which opened it itself. */
  readonly actor: string | null
  readonly operator_key_id: string | null
}

export interface FoundHold extends Hold {
  readonly owner_id: string
  readonly actor: string
  /** The prices of its model's tokens, if they had any when it was opened. */
  readonly rates: TokenRates | null
}

/** The hold of a person, or of an operator's key, with its owner; null where they have none with that id. */
export async function findHold(
  db: Kysely<DB>,
  { hold_id, actor, operator_key_id }: HoldOfActor,
): Promise<FoundHold | null> {
  const [hold] = await findHolds(db, [hold_id, actor, operator_key_id])
  return hold ?? null
}

const findHolds = preparedText<FoundHold>(
  'find_hold',
  `SELECT owner_id, actor, id, state, credits, opened_at, expires_at, settled_credits, rates FROM ledger_holds
  WHERE id = $1 AND operator_key_id IS NOT DISTINCT FROM $3::uuid AND ($3 IS NOT NULL OR actor = $2)`,
)

/** When the owner's next open hold expires; null when none does. */
export async function findNextExpiry(db: Kysely<DB>, owner_id: string): Promise<Date | null> {
  const { expires_at } = await db
    .selectFrom('ledger_holds')
    .select(({ fn }) => fn.min('expires_at').as('expires_at'))
    .where('owner_id', '=', owner_id)
    .where('state', '=', 'open')
    .executeTakeFirstOrThrow()
  return expires_at
}

/** When the last of the owner's open holds of closed months expires; null when there is none. */
export async function findLastExpiry(db: Kysely<DB>, { owner_id }: { readonly owner_id: string }) {
  const { expires_at } = await db
    .selectFrom('ledger_holds')
    .select(({ fn }) => fn.max<Date | null>('expires_at').as('expires_at'))
    .where('owner_id', '=', owner_id)
    .where('state', '=', 'open')
    .where('outlives_month', '=', true)
    .executeTakeFirstOrThrow()
  return expires_at
}
