import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { useNavigate } from 'react-router-dom'
import { useApi } from '../../../api/ApiProvider.tsx'
import { starterSignupQuery, userQuery } from '../../../api/account.ts'
import { failureText } from '../../../api/failure.ts'
import type { SignedInUser } from '../../../auth/RequireUser.tsx'
import { SetupView } from './SetupView.tsx'

const redirectAfterMs = 2000

interface StarterPlanProps {
  user: SignedInUser
  target: string
}

export function StarterPlan({ user, target }: StarterPlanProps) {
  const api = useApi()
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const signup = useQuery(starterSignupQuery(api, user))

  const account = signup.data
  useEffect(() => {
    if (!account) return
    queryClient.setQueryData(userQuery(api, account.clerk_id).queryKey, account)
    const timer = setTimeout(() => navigate(target, { replace: true }), redirectAfterMs)
    return () => clearTimeout(timer)
  }, [account, api, navigate, queryClient, target])

  if (account) return <SetupView state="success" text="Your account is ready. Taking you there now." />
  if (signup.isError && !signup.isFetching) {
    return (
      <SetupView
        state="error"
        detail={failureText(signup.error, 'Failed to process starter signup')}
        onRetry={() => void signup.refetch()}
      />
    )
  }
  return <SetupView state="processing" />
}
