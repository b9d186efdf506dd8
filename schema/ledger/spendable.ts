/** What can be spent of an owner's accounts, and what stands in the way. */
export interface SpendableBalance {
  readonly plan: number
  readonly purchased: number
  /** Credits of open holds. */
  readonly held: number
  /** Plan credits of a month that is over, which expire within a minute. */
  readonly expiring: number
}

export function availableOf({ plan, purchased, held, expiring }: SpendableBalance): number {
  return plan + purchased - held - expiring
}
