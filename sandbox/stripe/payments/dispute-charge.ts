import type { StoredCharge, StoredDispute } from '../entities.ts'
import { invalidRequest } from '../errors.ts'
import { newDispute } from '../objects/dispute.ts'
import { emit } from '../objects/event.ts'
import type { Cause, World } from '../world.ts'

/** The cardholder's bank takes the money back until it is settled who is right. */
export function disputeCharge(
  world: World,
  {
    charge,
    amount,
    reason,
    cause,
  }: { charge: StoredCharge; amount: number | undefined; reason: string; cause: Cause },
): StoredDispute {
  const left = charge.amount - charge.amount_refunded
  const asked = amount ?? left
  if (charge.status !== 'succeeded' || charge.disputed || asked < 1 || asked > left) {
    throw invalidRequest(`Charge ${charge.id} cannot be disputed for ${asked}.`, { param: 'charge' })
  }
  const dispute = world.store.disputes.put(newDispute(world, { charge, amount: asked, reason }))
  const disputed = world.store.charges.put({ ...charge, disputed: true })
  emit(world, 'charge.dispute.created', dispute, { cause })
  emit(world, 'charge.dispute.funds_withdrawn', dispute, { cause })
  emit(world, 'charge.updated', disputed, { cause, previous_attributes: { disputed: false } })
  return dispute
}

/** The bank has decided. Won: the money comes back; lost: it stays away. */
export function closeDispute(
  world: World,
  { dispute, outcome, cause }: { dispute: StoredDispute; outcome: 'lost' | 'won'; cause: Cause },
): StoredDispute {
  if (isClosed(dispute)) {
    throw invalidRequest(`Dispute ${dispute.id} is already closed: ${dispute.status}.`)
  }
  const closed = world.store.disputes.put({
    ...dispute,
    is_charge_refundable: outcome === 'won',
    status: outcome,
  })
  emit(world, 'charge.dispute.closed', closed, { cause, previous_attributes: { status: dispute.status } })
  if (outcome === 'won') emit(world, 'charge.dispute.funds_reinstated', closed, { cause })
  return closed
}

export function isClosed({ status }: StoredDispute): boolean {
  return status === 'won' || status === 'lost'
}
