import type { Owner } from '../../schema/ledger/accounts.ts'
import { findActiveSeat } from '../../schema/seats/seats.ts'
import type { Dependencies } from '../dependencies.ts'
import { payerNotFound } from '../errors.ts'

export interface Payer {
  /** As the extension names it: `personal` or the id of an organization. */
  readonly name: string
  readonly owner: Owner
  readonly may_buy: boolean
}

/** Whose credits a user means. An organization without a seat of theirs is a 404, whether or not it exists. */
export async function resolvePayer(
  deps: Pick<Dependencies, 'db'>,
  { payer, user_id }: { payer: string; user_id: string },
): Promise<Payer> {
  if (payer === 'personal') {
    return { name: payer, owner: { owner_kind: 'user', owner_id: user_id }, may_buy: true }
  }
  const seat = await findActiveSeat(deps.db, { organization_id: payer, user_id })
  if (!seat) throw payerNotFound()
  return {
    name: payer,
    owner: { owner_kind: 'organization', owner_id: payer },
    may_buy: seat.role === 'admin',
  }
}
