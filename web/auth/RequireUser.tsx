import { useUser } from '@clerk/clerk-react'
import type { ReactNode } from 'react'
import { Navigate, useLocation } from 'react-router-dom'
import { signInPath } from './redirects.ts'

export type SignedInUser = NonNullable<ReturnType<typeof useUser>['user']>

interface RequireUserProps {
  /** Shown while it is not known yet who is there. */
  loading: ReactNode
  children: (user: SignedInUser) => ReactNode
}

/** Lets signed-in users through and sends everybody else to sign in and back. */
export function RequireUser({ loading, children }: RequireUserProps) {
  const { isLoaded, user } = useUser()
  const location = useLocation()
  if (!isLoaded) return loading
  if (!user) return <Navigate to={signInPath(location)} replace />
  return children(user)
}
