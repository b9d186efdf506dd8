import { sumFigure } from '../../schema/api/failures.ts'
import type { CheckoutTerms } from '../../schema/billing/checkout/intents.ts'
import { PermanentError } from '../errors.ts'

/** What Stripe takes, by the session or invoice `id`, has to be what the checkout promised. */
export function requirePrice(
  promised: Pick<CheckoutTerms, 'amount_minor' | 'currency'>,
  { id, ...taken }: { id: string; amount_minor: number | null; currency: string | null },
): void {
  const expected = sumFigure(promised.amount_minor, promised.currency)
  const found = sumFigure(taken.amount_minor, taken.currency)
  if (expected !== found) throw new PermanentError('differs', { id, in: 'price', expected, found })
}

export function requireCredits(intent: Pick<CheckoutTerms, 'id' | 'kind'> | undefined): void {
  const [expected, found] = ['credit_purchase', intent?.kind ?? 'none']
  if (expected !== found)
    throw new PermanentError('differs', { id: intent?.id ?? 'none', in: 'kind', expected, found })
}
