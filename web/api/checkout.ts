import { queryOptions } from '@tanstack/react-query'
import { getSessionStatus, listOpenCheckouts, processPaymentSuccess } from '../../schema/api/checkout.ts'
import type { BodyInputOf } from '../../schema/api/endpoint.ts'
import { createCheckoutSession } from '../../schema/api/subscriptions.ts'
import type { BillingFrequency } from '../../schema/catalogue/plans.ts'
import { priceLookupKey } from '../../schema/catalogue/sold-plans.ts'
import type { Api } from './client.ts'
import { ApiFailure } from './failure.ts'

/** A checkout session and the user who came back from it. */
export interface ReturnedSession {
  sessionId: string
  clerkUserId: string
}

type PlanOrder = BodyInputOf<typeof createCheckoutSession> & { billingFrequency: BillingFrequency }

/** Opens the payment page of a plan at the price that the page has shown, with a way back to this origin. */
export function openPlanCheckout(api: Api, order: PlanOrder, signal?: AbortSignal) {
  const { origin } = window.location
  const priceId = priceLookupKey({ plan_type: order.planType, billing_frequency: order.billingFrequency })
  const returns = { successUrl: `${origin}/payment/success`, cancelUrl: `${origin}/payment/cancelled` }
  return api(createCheckoutSession, { body: { ...order, priceId, ...returns }, ...(signal && { signal }) })
}

/** A POST as a query: opening the page starts it, and repeating it returns the open payment page. */
export function planCheckoutQuery(api: Api, order: PlanOrder) {
  return queryOptions({
    queryKey: ['plan-checkout', order],
    queryFn: ({ signal }) => openPlanCheckout(api, order, signal),
    staleTime: Number.POSITIVE_INFINITY,
    // Not cached after the page is left: by the next visit the order may have been paid.
    gcTime: 0,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  })
}

export function sessionStatusQuery(api: Api, { sessionId, clerkUserId }: ReturnedSession) {
  return queryOptions({
    queryKey: ['session-status', clerkUserId, sessionId],
    queryFn: async ({ signal }) =>
      (await api(getSessionStatus, { query: { session_id: sessionId }, signal })).data,
    staleTime: 0,
    // The user has just paid and is waiting, so this retries for minutes instead of the usual three times.
    retry: (failures, error) => failures < 20 && !(error instanceof ApiFailure && error.final),
  })
}

/** Asks for a session to be settled now. A POST as a query, safe to repeat; the answer is not used. */
export function settlementQuery(api: Api, { sessionId, clerkUserId }: ReturnedSession) {
  return queryOptions({
    queryKey: ['process-payment-success', clerkUserId, sessionId],
    queryFn: ({ signal }) => api(processPaymentSuccess, { body: { sessionId, clerkUserId }, signal }),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  })
}

/** What the user began to buy and has not paid. */
export function openCheckoutsQuery(api: Api, clerkUserId: string) {
  return queryOptions({
    queryKey: ['open-checkouts', clerkUserId],
    queryFn: async ({ signal }) => (await api(listOpenCheckouts, { signal })).checkouts,
    // By the next visit one of them may have been paid.
    gcTime: 0,
  })
}
