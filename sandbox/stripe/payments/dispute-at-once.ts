import { nobody, type World } from '../world.ts'
import { disputeCharge } from './dispute-charge.ts'
import { cardBehind } from './test-cards.ts'

/** Some test cards dispute whatever they have paid. Called once all that a payment brings about has been told. */
export function disputeAtOnce(world: World, charge_id: string | null): void {
  const charge = world.store.charges.get(charge_id ?? '')
  const method = world.store.payment_methods.get(charge?.payment_method ?? '')
  const reason = method && cardBehind(method)?.dispute
  if (charge && reason) disputeCharge(world, { charge, amount: undefined, reason, cause: nobody })
}
