import { LogIn } from 'lucide-react'
import { useSignedIn } from '../../auth/signedIn.ts'
import { LinkButton } from '../../ui/LinkButton.tsx'
import { useLater } from '../../ui/useLater.ts'

const loadAccountMenu = async () => (await import('./AccountMenu.tsx')).AccountMenu

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
  const AccountMenu = useLater(loadAccountMenu)
  const placeholder = (
    <div className="grid size-9 place-items-center">
      <span className="size-7 animate-pulse rounded-full bg-hover" />
    </div>
  )
  return AccountMenu ? <AccountMenu placeholder={placeholder} /> : placeholder
}
