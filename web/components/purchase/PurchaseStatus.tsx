import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { useApi } from '../../api/ApiProvider.tsx'
import { creditHistoryQuery } from '../../api/creditHistory.ts'
import { type CheckoutReturn, sessionStatusQuery, settlementQuery } from '../../api/sessionStatus.ts'
import { userQuery } from '../../api/user.ts'
import { PurchaseView } from './PurchaseView.tsx'
import { purchasedPlan } from './plan.ts'
import { nextPollMs, purchaseProgress } from './progress.ts'
import type { ReturnPage } from './words.ts'

const quietFailures = 3

/** Asks until the ledger has the purchase, and shows what is true meanwhile. */
export function PurchaseStatus({ sessionId, clerkUserId, page }: CheckoutReturn & { page: ReturnPage }) {
  const api = useApi()
  const queryClient = useQueryClient()
  const [startedAt] = useState(() => Date.now())
  const statusQuery = sessionStatusQuery(api, { sessionId, clerkUserId })
  useQuery(settlementQuery(api, { sessionId, clerkUserId }))
  const status = useQuery({
    ...statusQuery,
    refetchInterval: ({ state }) => {
      const elapsed_ms = Date.now() - startedAt
      return nextPollMs(purchaseProgress({ status: state.data, error: state.error, elapsed_ms }), elapsed_ms)
    },
    refetchIntervalInBackground: true,
  })
  const progress = purchaseProgress({
    status: status.data,
    // A first answer that is long in coming is said so, while the asking goes on behind it.
    error: status.error ?? (status.failureCount > quietFailures ? status.failureReason : null),
    elapsed_ms: Math.max(status.dataUpdatedAt, status.errorUpdatedAt) - startedAt,
  })

  const applied = progress.kind === 'applied'
  useEffect(() => {
    if (!applied) return
    void queryClient.invalidateQueries({ queryKey: userQuery(api, clerkUserId).queryKey })
    void queryClient.invalidateQueries({ queryKey: creditHistoryQuery(api, clerkUserId).queryKey })
  }, [applied, api, clerkUserId, queryClient])

  return (
    <PurchaseView
      progress={progress}
      page={page}
      plan={status.data ? purchasedPlan(status.data) : null}
      onRetry={() => void queryClient.resetQueries({ queryKey: statusQuery.queryKey })}
    />
  )
}
