import { queryOptions } from '@tanstack/react-query'
import { initializeUser, processStarterSignup } from '../../schema/api/users.ts'
import type { PlanType } from '../../schema/catalogue/plans.ts'
import type { Api } from './client.ts'

/** What we need to know of the signed-in user; Clerk's own object has it. */
export interface Person {
  id: string
  emailAddresses: readonly { emailAddress: string }[]
  primaryEmailAddress: { emailAddress: string } | null
  firstName: string | null
  lastName: string | null
}

/*
 * Both calls are harmless when repeated and happen because their page is shown, not because something was pressed. So
 * they are queries: asked once, tried again by the same rules, kept while the page lives.
 */
const once = {
  staleTime: Number.POSITIVE_INFINITY,
  refetchOnWindowFocus: false,
  refetchOnReconnect: false,
} as const

export function starterSignupQuery(api: Api, person: Person) {
  return queryOptions({
    queryKey: ['starter-signup', person.id],
    queryFn: async ({ signal }) =>
      (
        await api(processStarterSignup, {
          body: {
            clerkUserId: person.id,
            email: person.primaryEmailAddress?.emailAddress ?? person.emailAddresses[0]?.emailAddress ?? '',
            firstName: person.firstName,
            lastName: person.lastName,
          },
          signal,
        })
      ).data,
    ...once,
  })
}

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
