import { SignUp } from '@clerk/clerk-react'
import { LeadOn } from '../../auth/LeadOn.tsx'
import { afterSignUp } from '../../auth/redirects.ts'
import { useInitialQuery } from '../../auth/useInitialQuery.ts'
import { AgreementNote } from '../../components/AgreementNote.tsx'
import { AuthFormSkeleton } from '../../components/AuthFormSkeleton.tsx'
import { PlanProblem } from '../../components/PlanProblem.tsx'
import { SelectedPlan } from '../../components/SelectedPlan.tsx'
import { usePageTitle } from '../../components/usePageTitle.ts'

export function SignUpPage() {
  usePageTitle('Sign up')
  const { search, query, problem, redirect } = useInitialQuery()
  if (problem) return <PlanProblem problem={problem} search={query} />
  const next = afterSignUp(redirect)
  return (
    <LeadOn to={next}>
      <h1 className="sr-only">Sign up</h1>
      <SelectedPlan selection={redirect.selection} isNewAccount />
      <SignUp
        routing="path"
        path="/sign-up"
        signInUrl={`/sign-in${search}`}
        forceRedirectUrl={next}
        fallback={<AuthFormSkeleton />}
      />
      <div className="mt-5 max-w-[25rem]">
        <AgreementNote when="By creating an account" documents={['/terms', '/privacy']} />
      </div>
    </LeadOn>
  )
}
