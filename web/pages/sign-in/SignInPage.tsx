import { SignIn } from '@clerk/clerk-react'
import { afterSignIn } from '../../auth/redirects.ts'
import { useInitialQuery } from '../../auth/useInitialQuery.ts'
import { AuthFormSkeleton } from '../../components/AuthFormSkeleton.tsx'
import { SelectedPlan } from '../../components/SelectedPlan.tsx'
import { usePageTitle } from '../../components/usePageTitle.ts'

export function SignInPage() {
  usePageTitle('Sign in')
  const { search, redirect } = useInitialQuery()
  return (
    <>
      <h1 className="sr-only">Sign in</h1>
      {redirect.selection.plan && <SelectedPlan selection={redirect.selection} />}
      <SignIn
        routing="path"
        path="/sign-in"
        signUpUrl={`/sign-up${search}`}
        forceRedirectUrl={afterSignIn(redirect)}
        fallback={<AuthFormSkeleton />}
      />
    </>
  )
}
