/** What can be spent of an owner's accounts, and what stands in the way. */
export interface SpendableBalance {
  readonly plan: number
  readonly purchased: number
  /** Credits of open holds. */
  readonly held: number
}

export function availableOf({ plan, purchased, held }: SpendableBalance): number {
  return plan + purchased - held
}
