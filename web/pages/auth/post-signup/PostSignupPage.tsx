import { useUser } from '@clerk/clerk-react'
import { Navigate, useSearchParams } from 'react-router-dom'
import { afterPostSignup } from '../../../auth/redirects.ts'
import { readSelection } from '../../../auth/selection.ts'
import { usePageTitle } from '../../../components/usePageTitle.ts'
import { PaidPlan } from './PaidPlan.tsx'
import { SetupView } from './SetupView.tsx'
import { StarterPlan } from './StarterPlan.tsx'

/** The plan step between signing up and the dashboard. */
export function PostSignupPage() {
  usePageTitle('Setting up your account')
  const { isLoaded, user } = useUser()
  const [search] = useSearchParams()
  const selection = readSelection(search)
  const target = afterPostSignup(search.get('original_redirect'), window.location.origin)

  if (!isLoaded) return <SetupView state="loading" />
  if (!user) return <Navigate to="/sign-up" replace />
  if (!selection.plan) return <Navigate to="/dashboard" replace />
  if (selection.plan === 'starter') return <StarterPlan user={user} target={target} />
  return <PaidPlan user={user} selection={{ ...selection, plan: selection.plan }} />
}
