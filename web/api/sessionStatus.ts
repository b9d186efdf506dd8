import { queryOptions } from '@tanstack/react-query'
import { getSessionStatus, processPaymentSuccess } from '../../schema/api/checkout.ts'
import type { Api } from './client.ts'
import { ApiFailure } from './failure.ts'

export interface CheckoutReturn {
  sessionId: string
  clerkUserId: string
}

export function sessionStatusQuery(api: Api, { sessionId, clerkUserId }: CheckoutReturn) {
  return queryOptions({
    queryKey: ['session-status', clerkUserId, sessionId],
    queryFn: async ({ signal }) =>
      (await api(getSessionStatus, { query: { session_id: sessionId }, signal })).data,
    staleTime: 0,
    // Somebody who has just paid is waiting: keep asking for minutes, not for three tries.
    retry: (failures, error) => failures < 20 && !(error instanceof ApiFailure && error.final),
  })
}

/**
 * Asks once for a session to be settled now. A POST as a query, because the call is harmless when repeated and belongs to
 * the page being shown, not to a button. Nobody reads its result: the session's status tells what became of it.
 */
export function settlementQuery(api: Api, { sessionId, clerkUserId }: CheckoutReturn) {
  return queryOptions({
    queryKey: ['process-payment-success', clerkUserId, sessionId],
    queryFn: ({ signal }) => api(processPaymentSuccess, { body: { sessionId, clerkUserId }, signal }),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  })
}
