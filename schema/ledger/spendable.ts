/** What can be spent of an owner's accounts, and what stands in the way. */
export interface SpendableBalance {
  readonly plan: number
  readonly purchased: number
  /** Credits of open holds. */
  readonly held: number
  /** Plan credits of a month that is over, which no open hold needs: they expire when its last has ended. */
  readonly expiring: number
}

export function availableOf({ plan, purchased, held, expiring }: SpendableBalance): number {
  return plan + purchased - held - expiring
}
