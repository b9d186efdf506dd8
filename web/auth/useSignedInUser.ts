import { useAuth, useUser } from '@clerk/clerk-react'

export type SignedInUser = NonNullable<ReturnType<typeof useUser>['user']>

/**
 * The signed-in user. There is none while a session is pending, because its user has to choose another
 * password, a second factor or an organization first: the server refuses its token, and Clerk's forms on the
 * sign-in page lead to the task. `useUser` alone has a user then, `useAuth` has not
 * (https://clerk.com/docs/guides/configure/session-tasks).
 */
export function useSignedInUser(): { readonly isLoaded: boolean; readonly user: SignedInUser | null } {
  const { isLoaded, isSignedIn } = useAuth()
  const { user } = useUser()
  return { isLoaded, user: (isSignedIn && user) || null }
}
