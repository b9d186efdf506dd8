import { SignUp } from '@clerk/clerk-react'
import { afterSignUp } from '../../auth/redirects.ts'
import { useInitialQuery } from '../../auth/useInitialQuery.ts'
import { AuthFormSkeleton } from '../../components/AuthFormSkeleton.tsx'
import { SelectedPlan } from '../../components/SelectedPlan.tsx'
import { usePageTitle } from '../../components/usePageTitle.ts'

export function SignUpPage() {
  usePageTitle('Sign up')
  const { search, redirect } = useInitialQuery()
  return (
    <>
      <h1 className="sr-only">Sign up</h1>
      <SelectedPlan selection={redirect.selection} />
      <SignUp
        routing="path"
        path="/sign-up"
        signInUrl={`/sign-in${search}`}
        forceRedirectUrl={afterSignUp(redirect)}
        fallback={<AuthFormSkeleton />}
      />
    </>
  )
}
