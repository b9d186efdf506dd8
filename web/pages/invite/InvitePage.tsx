import { useUser } from '@clerk/clerk-react'
import { Navigate, useLocation } from 'react-router-dom'
import { signInPath } from '../../auth/redirects.ts'
import { AuthFormSkeleton } from '../../components/AuthFormSkeleton.tsx'

/**
 * Where the link of an invitation leads. The one in the e-mail brings Clerk's ticket, with which the visitor joins while signing up or
 * in; the one that an admin copied brings nothing, so the visitor signs in and joins from the account switcher.
 */
export function InvitePage() {
  const { isLoaded, user } = useUser()
  const location = useLocation()
  const status = new URLSearchParams(location.search).get('__clerk_status')
  if (status === 'sign_up') return <Navigate to={`/sign-up${location.search}`} replace />
  if (status === 'sign_in') return <Navigate to={`/sign-in${location.search}`} replace />
  if (!isLoaded) return <AuthFormSkeleton />
  return <Navigate to={user ? '/dashboard' : signInPath(location)} replace />
}
