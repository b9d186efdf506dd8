import type { ChargeFacts } from './charge-facts.ts'

export interface ClawbackTargets {
  readonly credits_refunded: number
  readonly credits_disputed: number
}

/**
 * How many of the credits that a charge brought are to be gone by now. In proportion to the money, rounded down so that nobody
 * loses a credit that was paid for; all of it when all the money is gone, and never more than was granted.
 */
export function clawbackTargets(
  charge: Pick<ChargeFacts, 'amount_minor' | 'refunded_minor' | 'disputed_minor'>,
  creditsGranted: number,
): ClawbackTargets {
  const shareOf = (minor: number) =>
    Math.floor((creditsGranted * Math.min(minor, charge.amount_minor)) / charge.amount_minor)
  const credits_refunded = shareOf(charge.refunded_minor)
  const total = shareOf(charge.refunded_minor + charge.disputed_minor)
  return { credits_refunded, credits_disputed: total - credits_refunded }
}
