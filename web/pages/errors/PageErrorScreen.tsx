import { CloudOff, Compass } from 'lucide-react'
import { useEffect, useState } from 'react'
import { isRouteErrorResponse, useRouteError } from 'react-router-dom'
import { usePageTitle } from '../../components/page.ts'
import { RouteButton } from '../../components/RouteButton.tsx'
import { StatusView } from '../../components/StatusView.tsx'
import { Button } from '../../ui/Button.tsx'
import { UnexpectedErrorScreen } from './ErrorScreen.tsx'

/** A page that could not be loaded offline, within its layout. The router's screen has every other error. */
export function PageErrorScreen() {
  const error = useRouteError()
  const [wasOnline] = useState(navigator.onLine)
  if (wasOnline) throw error
  return <NotLoaded />
}

/** Browsers remember that code could not be loaded until the page is: only loading it anew helps. */
function reload(): void {
  if (navigator.onLine) window.location.reload()
}

function NotLoaded() {
  usePageTitle('Page not loaded')
  useEffect(() => {
    window.addEventListener('online', reload)
    return () => window.removeEventListener('online', reload)
  }, [])
  return (
    <div className="mx-auto grid w-full max-w-5xl flex-1 place-items-center px-4 py-16">
      <StatusView
        tone="neutral"
        Icon={CloudOff}
        title="This page could not be loaded"
        text="Check your connection. The page loads as soon as you are online again."
        actions={<Button onClick={reload}>Try again</Button>}
      />
    </div>
  )
}

/** The router's own error screen, for an error in any of its pages. */
export function RouterErrorScreen() {
  const error = useRouteError()
  if (!isRouteErrorResponse(error)) return <UnexpectedErrorScreen error={error} />
  return <UnexpectedErrorScreen error={new Error(`${error.status} ${error.statusText}`.trim())} />
}

export function NotFoundPage() {
  usePageTitle('Page not found')
  return (
    <StatusView
      tone="neutral"
      Icon={Compass}
      title="Oops! Page not found"
      text="There is no page at this address. It may have moved, or the link may be incomplete."
      actions={<RouteButton to="/">Return to Home</RouteButton>}
    />
  )
}
