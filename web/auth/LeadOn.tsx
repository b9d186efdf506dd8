import { useAuth } from '@clerk/clerk-react'
import type { ReactNode } from 'react'
import { Navigate } from 'react-router-dom'

/** Redirects signed-in users, also those whom another tab has signed in. */
export function LeadOn({ to, children }: { to: string; children: ReactNode }) {
  const { isSignedIn } = useAuth()
  return isSignedIn ? <Navigate to={to} replace /> : children
}
