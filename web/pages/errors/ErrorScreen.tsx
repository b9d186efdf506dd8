import { ShieldAlert } from 'lucide-react'
import { useEffect } from 'react'
import { StatusView } from '../../components/StatusView.tsx'
import { Button } from '../../ui/Button.tsx'

/** Stands outside of the router and the session: it must show when neither works. */
export function AuthenticationErrorScreen() {
  useEffect(() => {
    document.title = 'Authentication Error'
  }, [])
  return (
    <main id="main" className="grid min-h-dvh place-items-center px-4">
      <StatusView
        tone="critical"
        Icon={ShieldAlert}
        title="Authentication Error"
        text="Something went wrong with the authentication system. Please try refreshing the page or contact support if the problem persists."
        actions={
          <>
            <Button onClick={() => window.location.reload()}>Refresh Page</Button>
            <Button asChild variant="secondary">
              <a href="/">Go to Home</a>
            </Button>
          </>
        }
      />
    </main>
  )
}
