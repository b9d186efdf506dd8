import { useMutation } from '@tanstack/react-query'
import { useEffect } from 'react'
import { toast } from 'sonner'
import { purchaseCredits } from '../../../schema/api/checkout.ts'
import { creditsCostMinor } from '../../../schema/catalogue/credits.ts'
import { defaultCurrency } from '../../../schema/catalogue/currency.ts'
import { useApi } from '../../api/ApiProvider.tsx'
import { failureText } from '../../api/translate.ts'

/** Starts a purchase and leaves for the hosted payment page. */
export function usePurchase(clerkUserId: string) {
  const api = useApi()
  const { mutate, reset, isPending, isSuccess } = useMutation({
    mutationFn: (credits: number) =>
      api(purchaseCredits, {
        body: { clerkUserId, credits, amount: creditsCostMinor(credits) / 100, currency: defaultCurrency },
      }),
    onSuccess: ({ url }) => window.location.assign(url),
    onError: (error) =>
      toast.error('Error', { description: failureText(error, 'Failed to process credit addition') }),
  })

  // Coming back from the payment page can bring this page back as it was left: busy.
  useEffect(() => {
    const onPageShow = ({ persisted }: PageTransitionEvent) => persisted && reset()
    window.addEventListener('pageshow', onPageShow)
    return () => window.removeEventListener('pageshow', onPageShow)
  }, [reset])

  // It stays busy after the answer, until the browser has left.
  return { start: mutate, processing: isPending || isSuccess }
}
