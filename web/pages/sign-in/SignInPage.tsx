import { SignIn } from '@clerk/clerk-react'
import { LeadOn } from '../../auth/LeadOn.tsx'
import { afterSignIn } from '../../auth/redirects.ts'
import { useInitialQuery } from '../../auth/useInitialQuery.ts'
import { AuthFormSkeleton } from '../../components/AuthFormSkeleton.tsx'
import { PlanProblem } from '../../components/PlanProblem.tsx'
import { SelectedPlan } from '../../components/SelectedPlan.tsx'
import { usePageTitle } from '../../components/usePageTitle.ts'

export function SignInPage() {
  usePageTitle('Sign in')
  const { search, query, problem, redirect } = useInitialQuery()
  if (problem) return <PlanProblem problem={problem} search={query} />
  const next = afterSignIn(redirect)
  return (
    <LeadOn to={next}>
      <h1 className="sr-only">Sign in</h1>
      <SelectedPlan selection={redirect.selection} isNewAccount={false} />
      <SignIn
        routing="path"
        path="/sign-in"
        signUpUrl={`/sign-up${search}`}
        forceRedirectUrl={next}
        fallback={<AuthFormSkeleton />}
      />
    </LeadOn>
  )
}
