import type { ExtensionBalance } from '../../schema/api/extension.ts'
import { lowBalanceCredits } from '../../schema/catalogue/credits.ts'

/** A balance as an editor needs it: the ledger refuses usage while one of the accounts has a debt, so nothing is available. */
export function presentSpendable(
  payer: string,
  { plan, purchased }: { plan: number; purchased: number },
): ExtensionBalance {
  const available = debtOf({ plan, purchased }) > 0 ? 0 : plan + purchased
  return { payer, available, plan, purchased, low: available < lowBalanceCredits }
}

export function debtOf({ plan, purchased }: { plan: number; purchased: number }): number {
  return Math.max(0, -plan) + Math.max(0, -purchased)
}
