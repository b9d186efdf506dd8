import { useUser } from '@clerk/clerk-react'
import type { ReactNode } from 'react'
import { Navigate, useLocation } from 'react-router-dom'
import { signInPath } from './redirects.ts'

export type SignedInUser = NonNullable<ReturnType<typeof useUser>['user']>

interface RequireUserProps {
  /** Shown until the session is known. */
  loading: ReactNode
  children: (user: SignedInUser) => ReactNode
}

/** Shows its children to signed-in users. A signed-out visitor signs in first and is then sent back here. */
export function RequireUser({ loading, children }: RequireUserProps) {
  const { isLoaded, user } = useUser()
  const location = useLocation()
  if (!isLoaded) return loading
  if (!user) return <Navigate to={signInPath(location)} replace />
  return children(user)
}
