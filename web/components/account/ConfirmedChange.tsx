import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { useSearchParams } from 'react-router-dom'
import type { AccountSubscription } from '../../../schema/api/account.ts'
import { billingFrequencies } from '../../../schema/catalogue/plans.ts'
import { useApi } from '../../api/ApiProvider.tsx'
import { accountSummaryQuery, type PayerView } from '../../api/account.ts'
import { Alert } from '../../ui/Alert.tsx'
import { Spinner } from '../../ui/Spinner.tsx'

const pollMs = 1500
/** Then the page stops asking. The change is made; a reload shows it. */
const patienceMs = 2 * 60_000

/** A change of billing that was confirmed on Stripe's page and becomes ours when its event is applied. */
export function ConfirmedChange({ payer }: { payer: PayerView }) {
  const [search] = useSearchParams()
  const [since] = useState(() => Date.now())
  const queryClient = useQueryClient()
  const expected = billingFrequencies.find((one) => one === search.get('billed'))
  const { data } = useQuery({
    ...accountSummaryQuery(useApi(), payer),
    enabled: expected !== undefined,
    refetchInterval: ({ state }) =>
      !isThere(state.data?.subscription ?? null, expected) && Date.now() - since < patienceMs
        ? pollMs
        : false,
  })
  const subscription = data?.subscription ?? null
  const isApplied = isThere(subscription, expected)
  useEffect(() => {
    if (isApplied) void queryClient.invalidateQueries({ queryKey: ['organization-subscription'] })
    if (isApplied) void queryClient.invalidateQueries({ queryKey: ['next-payment'] })
  }, [isApplied, queryClient])
  if (!expected || !data) return null
  return (
    <div className="mb-4 sm:mb-5">
      {isApplied ? (
        subscription?.billing_frequency === expected && (
          <Alert tone="positive" title={`Your plan is billed ${expected} now`} />
        )
      ) : (
        <Alert title="Your plan is being changed">
          <span className="flex items-center gap-2">
            <Spinner className="size-3.5 shrink-0" />
            This usually takes a few seconds.
          </span>
        </Alert>
      )}
    </div>
  )
}

function isThere(subscription: AccountSubscription | null, expected: string | undefined): boolean {
  return (
    subscription?.billing_frequency === expected ||
    subscription?.scheduled_change?.billing_frequency === expected
  )
}
