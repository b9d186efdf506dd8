import { queryOptions } from '@tanstack/react-query'
import { getAccountSummary, getNextPayment, getOfferedCard } from '../../schema/api/account.ts'
import { getActiveExtensionToken, listOwnPayers } from '../../schema/api/extension.ts'
import { previewOwnPlanEnd, previewPlanChange } from '../../schema/api/plan-changes.ts'
import { initializeUser, processStarterSignup } from '../../schema/api/users.ts'
import type { Currency } from '../../schema/catalogue/currency.ts'
import type { PlanType } from '../../schema/catalogue/plans.ts'
import { rememberCurrency } from '../auth/selection.ts'
import { type Api, readOf } from './client.ts'

/** What we need to know about the signed-in user. Clerk's user object fits it. */
export interface Person {
  id: string
  emailAddresses: readonly { emailAddress: string }[]
  primaryEmailAddress: { emailAddress: string } | null
  firstName: string | null
  lastName: string | null
}

/** The payer (`personal` or an organization's id) and the viewer: admins see more than members. */
export interface PayerView {
  payer: string
  userId: string
  /** A support person looks at it, in whose browser nothing of it is kept. */
  isCase?: boolean
}

const whileBeingAppliedMs = 3000
const whileAtTheBankMs = 60_000

/** While a payment is on its way, it is asked for again, so that its credits appear by themselves. */
export function accountSummaryQuery(api: Api, { payer, userId, isCase = false }: PayerView) {
  return queryOptions({
    queryKey: ['account-summary', payer, userId],
    queryFn: async ({ signal }) => {
      const summary = await api(getAccountSummary, { query: { payer }, signal })
      if (payer === 'personal' && !isCase) rememberCurrency(summary.currency)
      return summary
    },
    refetchInterval: ({ state: { data } }) => {
      if (!data || data.credits_on_the_way === 0) return false
      return data.payments.some(({ state }) => state === 'paid') ? whileBeingAppliedMs : whileAtTheBankMs
    },
  })
}

export const nextPaymentQuery = (api: Api, { payer, userId }: PayerView) => ({
  ...readOf(api, getNextPayment, [userId], { payer }),
  staleTime: 60_000,
})

/** Never from the cache: the amounts fall with the days of the period. */
const anew = { gcTime: 0, refetchOnWindowFocus: false, retry: false } as const

export const planChangeQuery = (api: Api, { payer, userId }: PayerView) => ({
  ...readOf(api, previewPlanChange, [userId], { payer }),
  ...anew,
})

export const ownPlanEndQuery = (api: Api) => ({ ...readOf(api, previewOwnPlanEnd, []), ...anew })

export const offeredCardQuery = (api: Api, { payer, userId }: PayerView) => ({
  ...readOf(api, getOfferedCard, [userId], { payer }),
  staleTime: 60_000,
  // A purchase needs no answer: without one the payment page is announced without a card.
  retry: false,
})

export const extensionTokenQuery = (api: Api, userId: string) =>
  readOf(api, getActiveExtensionToken, [userId])

/** `payer` is the account that is selected in the browser, which may be the default. */
export const editorPayersQuery = (api: Api, { payer, userId }: PayerView) =>
  queryOptions({
    ...readOf(api, listOwnPayers, [userId], { payer }),
    select: ({ payers }) => payers,
    staleTime: 0,
  })

/**
 * The two calls below are POSTs, but they are safe to repeat and happen because a page is shown, not because
 * a button is pressed. That makes them queries: sent once, retried like any other, and cached as long as the
 * page is open.
 */
const once = {
  staleTime: Number.POSITIVE_INFINITY,
  refetchOnWindowFocus: false,
  refetchOnReconnect: false,
} as const

export function initializeQuery(api: Api, person: Person, planType: PlanType) {
  return queryOptions({
    queryKey: ['initialize-user', person.id, planType],
    queryFn: ({ signal }) =>
      api(initializeUser, {
        body: {
          clerkUser: {
            id: person.id,
            emailAddresses: person.emailAddresses.map(({ emailAddress }) => ({ emailAddress })),
            firstName: person.firstName,
            lastName: person.lastName,
          },
          planType,
        },
        signal,
      }),
    ...once,
  })
}

export function starterSignupQuery(api: Api, person: Person, currency: Currency | null) {
  return queryOptions({
    queryKey: ['starter-signup', person.id, currency],
    queryFn: ({ signal }) =>
      api(processStarterSignup, {
        body: {
          clerkUserId: person.id,
          email: person.primaryEmailAddress?.emailAddress ?? person.emailAddresses[0]?.emailAddress ?? '',
          firstName: person.firstName,
          lastName: person.lastName,
          ...(currency && { currency }),
        },
        signal,
      }),
    ...once,
  })
}
