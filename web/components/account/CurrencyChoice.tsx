import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type AccountSummary, choosePayerCurrency } from '../../../schema/api/account.ts'
import type { Currency } from '../../../schema/catalogue/currency.ts'
import { useApi } from '../../api/ApiProvider.tsx'
import { CurrencySegments } from '../CurrencySegments.tsx'
import { toastFailure } from '../toastFailure.ts'

interface CurrencyChoiceProps {
  /** As the calls name it. */
  payer: string
  currency: AccountSummary['currency']
}

/** Changes every amount that the payer is shown; nothing where a plan decides the currency. */
export function CurrencyChoice({ payer, currency }: CurrencyChoiceProps) {
  const api = useApi()
  const queryClient = useQueryClient()
  const choice = useMutation({
    mutationFn: (code: Currency) => api(choosePayerCurrency, { query: { payer }, body: { currency: code } }),
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['account-summary', payer] }),
    onError: toastFailure('The currency could not be changed'),
  })
  if (currency.is_bound) return null
  const shown = choice.isPending ? choice.variables : currency.code
  return <CurrencySegments value={shown} onChange={(code) => choice.mutate(code)} />
}
