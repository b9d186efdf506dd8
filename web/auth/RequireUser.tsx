import type { ReactNode } from 'react'
import { Navigate, useLocation } from 'react-router-dom'
import { signInPath } from './redirects.ts'
import { type SignedInUser, useSignedInUser } from './useSignedInUser.ts'

interface RequireUserProps {
  /** Shown until the session is known. */
  loading: ReactNode
  children: (user: SignedInUser) => ReactNode
}

/** Shows its children to signed-in users. A signed-out visitor signs in first and is then sent back here. */
export function RequireUser({ loading, children }: RequireUserProps) {
  const { isLoaded, user } = useSignedInUser()
  const location = useLocation()
  if (!isLoaded) return loading
  if (!user) return <Navigate to={signInPath(location)} replace />
  return children(user)
}
