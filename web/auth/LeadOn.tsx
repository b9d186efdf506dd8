import { useAuth } from '@clerk/clerk-react'
import type { ReactNode } from 'react'
import { Navigate } from 'react-router-dom'

/**
 * Redirects a signed-in user: at once when they come back to a form, or when another tab has signed them in.
 */
export function LeadOn({ to, children }: { to: string; children: ReactNode }) {
  const { isSignedIn } = useAuth()
  return isSignedIn ? <Navigate to={to} replace /> : children
}
