import { SignIn } from '@clerk/clerk-react'
import { afterSignIn } from '../../auth/redirects.ts'
import { SignPage } from '../../components/SignPage.tsx'

export function SignInPage() {
  return (
    <SignPage title="Sign in" isNewAccount={false} leadsTo={afterSignIn}>
      {(form, search) => <SignIn {...form} path="/sign-in" signUpUrl={`/sign-up${search}`} />}
    </SignPage>
  )
}
