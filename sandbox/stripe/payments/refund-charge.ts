import type { StoredCharge, StoredRefund } from '../entities.ts'
import { invalidRequest } from '../errors.ts'
import { changedFields, emit } from '../objects/event.ts'
import { newRefund, type RefundReason } from '../objects/refund.ts'
import { formatMoney } from '../pages/money.ts'
import { wholeList } from '../wire/list.ts'
import type { Cause, World } from '../world.ts'

/** Gives back all that is left of a charge, or a part of it. Parts add up and never exceed the charge. */
export function refundCharge(
  world: World,
  {
    charge,
    amount,
    cause,
    ...rest
  }: {
    charge: StoredCharge
    amount: number | undefined
    reason: RefundReason | null
    metadata: Record<string, string>
    cause: Cause
  },
): StoredRefund {
  const { store } = world
  checkRefundable(world, charge)
  const left = charge.amount - charge.amount_refunded
  const asked = amount ?? left
  if (asked < 1) throw invalidRequest(`Invalid positive integer: ${asked}`, { param: 'amount' })
  if (asked > left) {
    const [wanted, rest_of_it] = [asked, left].map((sum) =>
      formatMoney({ amount: sum, currency: charge.currency }),
    )
    throw invalidRequest(
      `Refund amount (${wanted}) is greater than unrefunded amount on charge (${rest_of_it})`,
      {
        param: 'amount',
      },
    )
  }
  const refund = store.refunds.put(newRefund(world, { charge, amount: asked, ...rest }))
  const amount_refunded = charge.amount_refunded + asked
  const after = store.charges.put({
    ...charge,
    amount_refunded,
    refunded: amount_refunded === charge.amount,
    refunds: wholeList([refund, ...(charge.refunds?.data ?? [])], `/v1/charges/${charge.id}/refunds`),
  })
  const previous_attributes = changedFields(
    { amount_refunded: charge.amount_refunded, refunded: charge.refunded },
    { amount_refunded, refunded: after.refunded },
  )
  emit(world, 'refund.created', refund, { cause })
  emit(world, 'charge.refunded', after, { cause, previous_attributes })
  return refund
}

function checkRefundable({ store }: World, charge: StoredCharge): void {
  if (charge.refunded) {
    throw invalidRequest(`Charge ${charge.id} has already been refunded.`, {
      code: 'charge_already_refunded',
    })
  }
  const disputes = [...store.disputes.oldestFirst()].filter((dispute) => dispute.charge === charge.id)
  if (disputes.some(({ status }) => status !== 'won')) {
    throw invalidRequest(`Charge ${charge.id} has been charged back; cannot issue a refund.`, {
      code: 'charge_disputed',
    })
  }
  if (charge.status !== 'succeeded') {
    throw invalidRequest(`Charge ${charge.id} is ${charge.status}; only a succeeded charge can be refunded.`)
  }
}
