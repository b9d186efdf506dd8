import { queryOptions } from '@tanstack/react-query'
import type { BodyInputOf } from '../../schema/api/endpoint.ts'
import { createCheckoutSession } from '../../schema/api/subscriptions.ts'
import type { Api } from './client.ts'

type PlanOrder = BodyInputOf<typeof createCheckoutSession>

/**
 * The payment page of a plan. A POST as a query, because the page asks for it and not a button, and because an order that is
 * repeated is answered with the payment page that is open for it already.
 */
export function planCheckoutQuery(api: Api, order: PlanOrder) {
  return queryOptions({
    queryKey: ['plan-checkout', order],
    queryFn: ({ signal }) => api(createCheckoutSession, { body: order, signal }),
    staleTime: Number.POSITIVE_INFINITY,
    // Who comes again asks again: what was open then may be paid by now.
    gcTime: 0,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  })
}
