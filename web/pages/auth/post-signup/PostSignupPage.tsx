import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { Navigate, useNavigate, useSearchParams } from 'react-router-dom'
import { freePlan } from '../../../../schema/catalogue/sold-plans.ts'
import { useApi } from '../../../api/ApiProvider.tsx'
import { starterSignupQuery } from '../../../api/account.ts'
import { useWebConfig } from '../../../api/catalogue.ts'
import { failureNotice } from '../../../api/failure.ts'
import { problemText, repairOf, selectionProblem } from '../../../auth/offer.ts'
import { afterPostSignup, signUpPath } from '../../../auth/redirects.ts'
import { readSelection, type Selection } from '../../../auth/selection.ts'
import { type SignedInUser, useSignedInUser } from '../../../auth/useSignedInUser.ts'
import { usePageTitle } from '../../../components/page.ts'
import { PaidPlan, SetupView } from './PaidPlan.tsx'

const redirectAfterMs = 2000

/** The plan step between signing up and the dashboard. */
export function PostSignupPage() {
  usePageTitle('Setting up your account')
  const config = useWebConfig()
  const { isLoaded, user } = useSignedInUser()
  const [search] = useSearchParams()
  const selection = readSelection(search)
  const target = afterPostSignup(search.get('original_redirect'), window.location.origin)

  if (!isLoaded) return <SetupView state="loading" />
  if (!user) return <Navigate to={signUpPath(search)} replace />
  if (!selection.plan) return <Navigate to="/dashboard" replace />
  if (selection.plan === freePlan.plan_type) return <StarterPlan {...{ user, target, selection }} />
  const problem = selectionProblem(search, config)
  const refusal = problem && { text: problemText(problem), repair: repairOf(problem, search) }
  return <PaidPlan user={user} selection={{ ...selection, plan: selection.plan }} refusal={refusal} />
}

interface StarterPlanProps {
  user: SignedInUser
  target: string
  selection: Selection
}

/** Creates the account on the free plan and goes on to the requested page. */
function StarterPlan({ user, target, selection }: StarterPlanProps) {
  const api = useApi()
  const navigate = useNavigate()
  const signup = useQuery(starterSignupQuery(api, user, selection.currency))

  const account = signup.data
  useEffect(() => {
    if (!account) return
    const timer = setTimeout(() => navigate(target, { replace: true }), redirectAfterMs)
    return () => clearTimeout(timer)
  }, [account, navigate, target])

  if (account) return <SetupView state="success" text="Your account is ready. Taking you there now." />
  if (signup.isError && !signup.isFetching) {
    return (
      <SetupView
        state="error"
        notice={failureNotice(signup.error, 'Failed to process starter plan signup')}
        onRetry={() => void signup.refetch()}
      />
    )
  }
  return <SetupView state="processing" />
}
