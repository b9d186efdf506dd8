import { LogIn } from 'lucide-react'
import { lazy, Suspense, useEffect, useState } from 'react'
import { useSignedIn } from '../../auth/signedIn.ts'
import { LinkButton } from '../../ui/LinkButton.tsx'

const AccountMenu = lazy(async () => ({ default: (await import('./AccountMenu.tsx')).AccountMenu }))

export function SessionLinks() {
  if (!useSignedIn()) {
    return (
      <>
        <LinkButton variant="quiet" size="small" href="/sign-in">
          <LogIn aria-hidden="true" />
          Sign in
        </LinkButton>
        <LinkButton size="small" className="text-xs uppercase tracking-[0.04em]" href="/pricing">
          Get Started
        </LinkButton>
      </>
    )
  }
  return (
    <>
      <LinkButton variant="secondary" size="small" href="/dashboard">
        Dashboard
      </LinkButton>
      <LateAccountMenu />
    </>
  )
}

/** The menu needs Clerk's script, which is loaded when the browser is idle. */
function LateAccountMenu() {
  const idle = useIdle()
  const placeholder = (
    <div className="grid size-9 place-items-center">
      <span className="size-7 animate-pulse rounded-full bg-hover" />
    </div>
  )
  if (!idle) return placeholder
  return (
    <Suspense fallback={placeholder}>
      <AccountMenu placeholder={placeholder} />
    </Suspense>
  )
}

function useIdle(): boolean {
  const [idle, setIdle] = useState(false)
  useEffect(() => {
    // Safari has no requestIdleCallback.
    if (!('requestIdleCallback' in window)) {
      setIdle(true)
      return
    }
    const handle = requestIdleCallback(() => setIdle(true), { timeout: 3000 })
    return () => cancelIdleCallback(handle)
  }, [])
  return idle
}
