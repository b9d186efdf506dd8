import { type Kysely, sql } from 'kysely'
import { lookupEach } from '../../database/lookup-each.ts'
import { prepared } from '../../database/prepared.ts'
import type { DB } from '../../database/types.ts'
import type { Owner } from '../accounts.ts'
import type { Hold } from '../spend/usage.ts'

export interface HoldOfActor {
  readonly hold_id: string
  /** The person that it is for. */
  readonly actor: string
}

export type FoundHold = Owner & Hold

/** Each person's hold with its owner, in the given order; null where the person has none with that id. */
export async function findHolds(
  db: Kysely<DB>,
  asked: readonly HoldOfActor[],
): Promise<(FoundHold | null)[]> {
  const statement = sql<FoundHold | { readonly id: null }>`
    SELECT hold.*
    FROM unnest(
      (SELECT ${asked.map(({ hold_id }) => hold_id)}::uuid[]),
      (SELECT ${asked.map(({ actor }) => actor)}::text[])) WITH ORDINALITY AS asked (id, actor, ordinal)
    LEFT JOIN ${lookupEach(
      sql`SELECT h.id, h.state, h.credits, h.opened_at, h.expires_at, o.owner_kind, o.owner_id
        FROM ledger_holds h JOIN ledger_owners o ON o.owner_id = h.owner_id
        WHERE h.actor = asked.actor AND h.id = asked.id`,
      'hold',
    )} ON true
    ORDER BY asked.ordinal`
  const { rows } = await prepared('holds_of_actors', statement).execute(db)
  return rows.map((row) => (row.id === null ? null : row))
}

/** When the owner's next open hold expires; null when none does. */
export async function findNextExpiry(db: Kysely<DB>, { owner_id }: Owner): Promise<Date | null> {
  const { expires_at } = await db
    .selectFrom('ledger_holds')
    .select(({ fn }) => fn.min('expires_at').as('expires_at'))
    .where('owner_id', '=', owner_id)
    .where('state', '=', 'open')
    .executeTakeFirstOrThrow()
  return expires_at
}

/** When the last of the owner's open holds expires that were opened by a moment; null when there is none. */
export async function findLastExpiry(db: Kysely<DB>, { owner_id }: Pick<Owner, 'owner_id'>, opened_by: Date) {
  const { expires_at } = await db
    .selectFrom('ledger_holds')
    .select(({ fn }) => fn.max<Date | null>('expires_at').as('expires_at'))
    .where('owner_id', '=', owner_id)
    .where('state', '=', 'open')
    .where('opened_at', '<=', opened_by)
    .executeTakeFirstOrThrow()
  return expires_at
}
