import { useAuth } from '@clerk/clerk-react'
import { ArrowRight } from 'lucide-react'
import { Link } from 'react-router-dom'
import { Button } from '../../ui/Button.tsx'

/** The page's main call to action. */
export function StartButton() {
  const { isSignedIn } = useAuth()
  return (
    <Button asChild size="large">
      <Link to={isSignedIn ? '/dashboard' : '/sign-up'}>
        {isSignedIn ? 'Go to Dashboard' : 'Get Started'}
        <ArrowRight aria-hidden="true" />
      </Link>
    </Button>
  )
}
