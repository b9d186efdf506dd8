/** 500 credits cost 7.00 in every supported currency, so one credit is 1.4 minor units. */
export const creditRate = { credits: 500, amount_minor: 700 } as const

export const minimumPurchaseCredits = 71
export const maximumPurchaseCredits = 71_428
export const lowBalanceCredits = 100

export const preselectedPack = { credits: 1500, popular: true } as const
export const creditPacks = [
  { credits: 500, popular: false },
  preselectedPack,
  { credits: 3000, popular: false },
] as const

/** What `credits` cost, in minor units, rounded to a whole cent. */
export function creditsCostMinor(credits: number): number {
  return Math.round((credits * creditRate.amount_minor) / creditRate.credits)
}

/** The customer's text for an invalid number of credits; null when valid. Shared by page and server. */
export function creditPurchaseProblem(credits: unknown): string | null {
  if (credits === undefined || credits === null || credits === '') return 'Number of credits is required'
  if (typeof credits !== 'number' || !Number.isFinite(credits)) return 'Please enter a valid number'
  if (credits < minimumPurchaseCredits) return `Minimum purchase is ${minimumPurchaseCredits} credits`
  if (credits > maximumPurchaseCredits) {
    return `Maximum purchase is ${maximumPurchaseCredits.toLocaleString('en-US')} credits`
  }
  if (!Number.isInteger(credits)) return 'Credits must be a whole number'
  return null
}
