import { randomUUID } from 'node:crypto'
import type { Kysely } from 'kysely'
import type { DB } from '../../../schema/database/types.ts'
import { findBalance } from '../../../schema/ledger/read/balances.ts'
import type {
  Hold,
  Reservation,
  Settlement,
  SpendOutcome,
  SpendRequest,
  Usage,
} from '../../../schema/ledger/spend/usage.ts'
import type { TestDatabase } from '../database/test-database.ts'
import { buildUsage, decideOne, giveCredits } from './transfers.ts'

/** Asks for credits of an owner, 75 for a quarter of an hour unless told otherwise. */
function buildReservation(
  owner_id: string,
  { actor = owner_id, ...fields }: Partial<Reservation> = {},
): Reservation {
  return {
    owner_id,
    action: 'reserve',
    actor,
    credits: 75,
    lasting_s: 15 * 60,
    idempotency_key: randomUUID(),
    occurred_at: new Date(),
    reason: 'Refactoring',
    ...fields,
  }
}

export async function buildHold(
  db: Kysely<DB>,
  owner_id: string,
  fields: Partial<Reservation> = {},
): Promise<Hold> {
  const { hold, outcome } = await decideOne(db, buildReservation(owner_id, fields))
  if (!hold) throw new Error(`Nothing was reserved: ${outcome}`)
  return hold
}

/** Settles a hold by a person who may spend, at no cost unless told otherwise. */
export function settleHold(
  db: Kysely<DB>,
  owner_id: string,
  hold: Pick<Hold, 'id'> | null,
  fields: Partial<Settlement>,
): Promise<SpendOutcome> {
  const asked = { owner_id, actor: owner_id, occurred_at: new Date(), hold_id: hold?.id ?? '' }
  return decideOne(db, { ...asked, action: 'settle', may_spend: true, credits: 0, ...fields })
}

/** The moment from which a spender counts minutes. */
export const spendingStart = new Date('2026-11-20T12:00:00Z').getTime()

/** When a request is made, in minutes since `spendingStart` or as a date; and whose it is, and its key. */
interface Asked {
  readonly at?: number | string | undefined
  readonly actor?: string | undefined
  readonly key?: string
}

type Held = Pick<SpendOutcome, 'hold'>

/** An owner with credits, who asks for things as time goes by: first at once, and later after a minute. */
export async function buildSpender(
  database: TestDatabase,
  credits: { readonly plan?: number; readonly purchased?: number },
  owner_id = `user_${randomUUID().replaceAll('-', '')}`,
) {
  await giveCredits(database, owner_id, credits)
  const asked = ({ at = 1, actor = owner_id }: Asked) => ({
    owner_id,
    actor,
    occurred_at: new Date(typeof at === 'number' ? spendingStart + at * 60_000 : at),
  })
  const one = (request: SpendRequest) => decideOne(database.server, request)
  const reservation = (
    credits: number,
    { at = 0, actor, key = randomUUID(), ...more }: Asked & Partial<Reservation> = {},
  ) => buildReservation(owner_id, { ...asked({ at, actor }), credits, idempotency_key: key, ...more })
  return {
    owner_id,
    reservation,
    reserve: (...of: Parameters<typeof reservation>) => one(reservation(...of)),
    use: (credits: number, { at, actor, key = randomUUID(), ...more }: Asked & Partial<Usage> = {}) =>
      one(buildUsage(owner_id, { ...asked({ at, actor }), credits, idempotency_key: key, ...more })),
    settle: ({ hold }: Held, credits: number, { at, actor, ...more }: Asked & Partial<Settlement> = {}) =>
      settleHold(database.server, owner_id, hold, { ...asked({ at, actor }), credits, ...more }),
    release: ({ hold }: Held, when: Asked = {}) =>
      one({ ...asked(when), action: 'release', hold_id: hold?.id ?? '' }),
    extend: ({ hold }: Held, minutes: number, when: Asked = {}) =>
      one({ ...asked(when), action: 'extend', hold_id: hold?.id ?? '', lasting_s: minutes * 60 }),
    balance: () => findBalance(database.server, owner_id),
  }
}
