import { toast } from 'sonner'
import { purchaseCredits } from '../../../schema/api/checkout.ts'
import { creditsCostMinor } from '../../../schema/catalogue/credits.ts'
import { defaultCurrency } from '../../../schema/catalogue/currency.ts'
import { useApi } from '../../api/ApiProvider.tsx'
import { failureText } from '../../api/failure.ts'
import { useDeparture } from './useHostedPage.ts'

/** Starts a purchase and leaves for the hosted payment page. */
export function usePurchase(clerkUserId: string) {
  const api = useApi()
  return useDeparture({
    mutationFn: (credits: number) =>
      api(purchaseCredits, {
        body: { clerkUserId, credits, amount: creditsCostMinor(credits) / 100, currency: defaultCurrency },
      }),
    onError: (error) =>
      toast.error('Error', { description: failureText(error, 'Failed to process credit addition') }),
  })
}
