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

export interface ClawbackMoves {
  /** Credits to take; negative gives some back. */
  readonly refund: number
  readonly dispute: number
}

/**
 * What has to be posted to get from one pair of targets to the next. Once a month is over, credits that were not used in it are
 * gone anyhow, so only what exceeds them is taken: a refund that is reported late, or made late, then costs exactly what it would
 * have cost in time. `unused` is null while the credits still last.
 */
export function clawbackMoves(
  before: ClawbackTargets,
  after: ClawbackTargets,
  unused: number | null,
): ClawbackMoves {
  const felt = (credits: number) => Math.max(0, credits - (unused ?? 0))
  const start = felt(before.credits_refunded + before.credits_disputed)
  const between = felt(after.credits_refunded + before.credits_disputed)
  const end = felt(after.credits_refunded + after.credits_disputed)
  return { refund: between - start, dispute: end - between }
}
