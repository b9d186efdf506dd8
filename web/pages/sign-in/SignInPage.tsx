import { SignIn } from '@clerk/clerk-react'
import { useState } from 'react'
import { useLocation } from 'react-router-dom'
import { afterSignIn } from '../../auth/redirects.ts'
import { readSelection } from '../../auth/selection.ts'
import { SelectedPlan } from '../../components/SelectedPlan.tsx'
import { usePageTitle } from '../../components/usePageTitle.ts'
import { AuthFormSkeleton } from './AuthFormSkeleton.tsx'

export function SignInPage() {
  usePageTitle('Sign in')
  // Kept from the first look: the form walks through addresses of its own, which lose the query.
  const [search] = useState(useLocation().search)
  const query = new URLSearchParams(search)
  const selection = readSelection(query)
  return (
    <>
      <h1 className="sr-only">Sign in</h1>
      {selection.plan && <SelectedPlan selection={selection} />}
      <SignIn
        routing="path"
        path="/sign-in"
        signUpUrl={`/sign-up${search}`}
        forceRedirectUrl={afterSignIn({
          selection,
          redirectUrl: query.get('redirect_url'),
          origin: window.location.origin,
        })}
        fallback={<AuthFormSkeleton />}
      />
    </>
  )
}
