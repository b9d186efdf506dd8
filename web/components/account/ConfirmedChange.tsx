import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { useSearchParams } from 'react-router-dom'
import type { AccountSubscription } from '../../../schema/api/account.ts'
import { type BillingFrequency, billingFrequencies } from '../../../schema/catalogue/plans.ts'
import { useApi } from '../../api/ApiProvider.tsx'
import { accountSummaryQuery, type PayerView } from '../../api/account.ts'
import { Alert } from '../../ui/Alert.tsx'
import { Spinner } from '../../ui/Spinner.tsx'
import { toast } from '../../ui/toast.ts'

const pollMs = 1500
/** Then the page stops asking. The change is made; a reload shows it. */
const patienceMs = 2 * 60_000

/** A change of billing that was confirmed on Stripe's page and becomes ours when its event is applied. */
export function ConfirmedChange({ payer }: { payer: PayerView }) {
  const [search, setSearch] = useSearchParams()
  const [since] = useState(() => Date.now())
  const queryClient = useQueryClient()
  const expected = billingFrequencies.find((one) => one === search.get('billed'))
  const { data } = useQuery({
    ...accountSummaryQuery(useApi(), payer),
    enabled: expected !== undefined,
    refetchInterval: ({ state: { data } }) =>
      !isThere(data?.subscription, expected) && Date.now() - since < patienceMs ? pollMs : false,
  })
  const isApplied = isThere(data?.subscription, expected)
  // Not one that waits for the next period, which has a notice of its own.
  const isNow = data?.subscription?.billing_frequency === expected
  useEffect(() => {
    if (!isApplied) return
    if (isNow) toast.success(`Your plan is billed ${expected} now`, { id: 'billed' })
    // It may be taken back, and must not be waited for again.
    setSearch((now) => [...now].filter(([name]) => name !== 'billed'), { replace: true })
    void queryClient.invalidateQueries({ queryKey: ['organization-subscription'] })
    void queryClient.invalidateQueries({ queryKey: ['next-payment'] })
  }, [isApplied, isNow, expected, setSearch, queryClient])
  if (expected === undefined || data === undefined || isApplied) return null
  return (
    <div className="mb-4 sm:mb-5">
      <Alert title="Your plan is being changed">
        <span className="flex items-center gap-2">
          <Spinner className="size-3.5 shrink-0" />
          This usually takes a few seconds.
        </span>
      </Alert>
    </div>
  )
}

/** Now, or from the next period on. */
function isThere(
  subscription: AccountSubscription | null | undefined,
  expected: BillingFrequency | undefined,
): boolean {
  if (!subscription || !expected) return false
  const { billing_frequency, scheduled_change } = subscription
  return billing_frequency === expected || scheduled_change?.billing_frequency === expected
}
