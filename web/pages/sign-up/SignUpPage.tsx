import { SignUp } from '@clerk/clerk-react'
import { useState } from 'react'
import { useLocation } from 'react-router-dom'
import { afterSignUp } from '../../auth/redirects.ts'
import { readSelection } from '../../auth/selection.ts'
import { SelectedPlan } from '../../components/SelectedPlan.tsx'
import { usePageTitle } from '../../components/usePageTitle.ts'
import { AuthFormSkeleton } from '../sign-in/AuthFormSkeleton.tsx'

export function SignUpPage() {
  usePageTitle('Sign up')
  // Kept from the first look: the form walks through addresses of its own, which lose the query.
  const [search] = useState(useLocation().search)
  const query = new URLSearchParams(search)
  const selection = readSelection(query)
  return (
    <>
      <h1 className="sr-only">Sign up</h1>
      <SelectedPlan selection={selection} />
      <SignUp
        routing="path"
        path="/sign-up"
        signInUrl={`/sign-in${search}`}
        forceRedirectUrl={afterSignUp({
          selection,
          redirectUrl: query.get('redirect_url'),
          origin: window.location.origin,
        })}
        fallback={<AuthFormSkeleton />}
      />
    </>
  )
}
