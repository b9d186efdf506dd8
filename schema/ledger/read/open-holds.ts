import { type Kysely, sql } from 'kysely'
import type { ReadDatabase } from '../../database/connect.ts'
import type { DB } from '../../database/types.ts'
import type { HoldState } from '../spend/usage.ts'

/** Credits that are reserved for a request that is under way. */
export interface OpenHold {
  readonly id: string
  readonly credits: number
  readonly expires_at: Date
  readonly opened_at: Date
  /** Null once it was erased. */
  readonly reason: string | null
  readonly actor: string
  readonly model: string | null
  readonly project: string | null
  /** The editor's address scheme; null for a token that was generated, or none. */
  readonly scheme: string | null
}

/** One by its id alone, as support knows it. */
export async function findHoldById(
  db: Kysely<DB>,
  id: string,
): Promise<{ owner_id: string; state: HoldState } | undefined> {
  return db.selectFrom('ledger_holds').select(['owner_id', 'state']).where('id', '=', id).executeTakeFirst()
}

/** How many holds of one payer a person may have open: `ledger_spend` refuses the next. */
export const holdsOfPersonMax = 50

export interface HoldsOfPerson {
  readonly actor: string
  readonly count: number
  readonly credits: number
  readonly last_expires_at: Date
}

/** Who has an owner's credits reserved, those with most holds first. */
export async function sumOpenHolds(db: Kysely<DB>, owner_id: string): Promise<HoldsOfPerson[]> {
  const { rows } = await sql<HoldsOfPerson>`
    SELECT actor, count(*) AS count, sum(credits)::bigint AS credits, max(expires_at) AS last_expires_at
    FROM ledger_holds WHERE owner_id = ${owner_id} AND state = 'open'
    GROUP BY actor ORDER BY count(*) DESC, actor`.execute(db)
  return rows
}

const most = 100

/** An owner's open holds, the latest first. One that has expired is among them until the ledger ends it. */
export function listOpenHolds(db: ReadDatabase, owner_id: string): Promise<OpenHold[]> {
  return db
    .selectFrom('ledger_holds as hold')
    .leftJoin('extension_tokens as token', (join) =>
      join.onRef('token.user_id', '=', 'hold.actor').onRef('token.id', '=', 'hold.token_id'),
    )
    .select(['hold.id', 'hold.credits', 'hold.expires_at', 'hold.opened_at', 'hold.reason', 'hold.actor'])
    .select(['hold.model', 'hold.project', 'token.scheme'])
    .where('hold.owner_id', '=', owner_id)
    .where('hold.state', '=', 'open')
    .orderBy('hold.opened_at', 'desc')
    .orderBy('hold.id')
    .limit(most)
    .execute()
}
