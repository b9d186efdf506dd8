import { recordLook } from '../../../schema/clerk/looks.ts'
import type { DatabaseTransaction } from '../../../schema/database/connect.ts'
import type { Seat } from '../../../schema/seats/seats.ts'
import { settleMember } from '../../../schema/seats/settle-member.ts'
import { lockLiveSubscription } from '../../../schema/subscriptions/subscriptions.ts'
import type { MemberLook } from './member-look.ts'

/** Whoever changes seats holds this lock, so that none is given twice. Without a live subscription none can be given. */
export async function lockSeats(trx: DatabaseTransaction, organizationId: string): Promise<boolean> {
  const owner = { owner_kind: 'organization', owner_id: organizationId } as const
  return (await lockLiveSubscription(trx, owner)) !== undefined
}

/** Keeps a look and makes the person's seat agree with what is known then. Seats are locked; plan types are the caller's. */
export async function settleLook(trx: DatabaseTransaction, look: MemberLook): Promise<Seat | undefined> {
  const role = await recordLook(trx, look)
  return settleMember(trx, { ...look, role })
}
