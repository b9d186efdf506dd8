import { SignUp } from '@clerk/clerk-react'
import { afterSignUp } from '../../auth/redirects.ts'
import { AgreementNote } from '../../components/AgreementNote.tsx'
import { SignPage } from '../../components/SignPage.tsx'

export function SignUpPage() {
  return (
    <SignPage title="Sign up" isNewAccount leadsTo={afterSignUp}>
      {(form, search) => (
        <>
          <SignUp {...form} path="/sign-up" signInUrl={`/sign-in${search}`} />
          <div className="mt-5 max-w-[25rem]">
            <AgreementNote when="By creating an account" documents={['/terms', '/privacy']} />
          </div>
        </>
      )}
    </SignPage>
  )
}
