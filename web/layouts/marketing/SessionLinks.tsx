import { useAuth } from '@clerk/clerk-react'
import { LogIn } from 'lucide-react'
import { Link } from 'react-router-dom'
import { UserMenu } from '../../components/UserMenu.tsx'
import { Button } from '../../ui/Button.tsx'
import { Tooltip } from '../../ui/Tooltip.tsx'

export function SessionLinks() {
  const { isSignedIn } = useAuth()
  if (isSignedIn) {
    return (
      <>
        <Button asChild variant="secondary" size="small">
          <Link to="/dashboard">Dashboard</Link>
        </Button>
        <UserMenu />
      </>
    )
  }
  return (
    <>
      <Tooltip text="Sign in">
        <Button asChild variant="quiet" size="icon">
          <Link to="/sign-in" aria-label="Sign in">
            <LogIn aria-hidden="true" />
          </Link>
        </Button>
      </Tooltip>
      <Button asChild size="small" className="text-xs uppercase tracking-[0.04em]">
        <Link to="/#pricing">Get Started</Link>
      </Button>
    </>
  )
}
