import { ArrowRight } from 'lucide-react'
import { useSignedIn } from '../../auth/signedIn.ts'
import { LinkButton } from '../../ui/LinkButton.tsx'

export function StartButton() {
  const signedIn = useSignedIn()
  return (
    <LinkButton size="large" href={signedIn ? '/dashboard' : '/sign-up'}>
      {signedIn ? 'Go to Dashboard' : 'Get Started'}
      <ArrowRight aria-hidden="true" />
    </LinkButton>
  )
}
