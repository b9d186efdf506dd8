import { CloudOff } from 'lucide-react'
import { useEffect, useEffectEvent, useState } from 'react'
import { useLocation, useNavigate, useRouteError } from 'react-router-dom'
import { StatusView } from '../../components/StatusView.tsx'
import { usePageTitle } from '../../components/usePageTitle.ts'
import { Button } from '../../ui/Button.tsx'

/** A page that could not be loaded offline, within its layout. The router's screen has every other error. */
export function PageErrorScreen() {
  const error = useRouteError()
  const [wasOnline] = useState(navigator.onLine)
  if (wasOnline) throw error
  return <NotLoaded />
}

function NotLoaded() {
  usePageTitle('Page not loaded')
  const navigate = useNavigate()
  const location = useLocation()
  const retry = () => void navigate(location, { replace: true })
  const retryOnline = useEffectEvent(retry)
  useEffect(() => {
    window.addEventListener('online', retryOnline)
    return () => window.removeEventListener('online', retryOnline)
  }, [])
  return (
    <div className="mx-auto grid w-full max-w-5xl flex-1 place-items-center px-4 py-16">
      <StatusView
        tone="neutral"
        Icon={CloudOff}
        title="This page could not be loaded"
        text="Check your connection. The page loads as soon as you are online again."
        actions={<Button onClick={retry}>Try again</Button>}
      />
    </div>
  )
}
