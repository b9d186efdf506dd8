// An alias in package.json for @clerk/react: the package of this name is deprecated, and stops at a challenge.
import { ClerkProvider, useAuth, useClerk } from '@clerk/clerk-react'
import { type ReactNode, useEffect, useState } from 'react'
import type { WebConfig } from '../../schema/api/catalogue.ts'
import { AuthenticationErrorScreen } from '../pages/errors/ErrorScreen.tsx'
import { toast } from '../ui/toast.ts'
import { lateClerkUi } from './lateClerkUi.ts'
import { forgetOthers } from './rememberedPerson.ts'

const signedOutPath = '/'

interface SessionProviderProps {
  clerk: WebConfig['clerk']
  navigate: (to: string, options?: { replace: boolean }) => void
  children: ReactNode
}

export function SessionProvider({ clerk, navigate, children }: SessionProviderProps) {
  const [lacksForms, setLacksForms] = useState(false)
  const [ui] = useState(() => ({ ClerkUI: lateClerkUi(clerk, () => setLacksForms(true)) }))
  return (
    <ClerkProvider
      publishableKey={clerk.publishable_key}
      {...(clerk.proxy_url && { proxyUrl: clerk.proxy_url })}
      telemetry={false}
      ui={ui}
      routerPush={(to: string) => (to === signedOutPath ? leave() : navigate(to))}
      routerReplace={(to: string) => navigate(to, { replace: true })}
      signInUrl="/sign-in"
      signUpUrl="/sign-up"
      afterSignOutUrl={signedOutPath}
      appearance={clerk.proxy_url ? { ...clerkAppearance, elements: withoutUploads } : clerkAppearance}
      localization={clerkTexts}
    >
      <SessionGate lacksForms={lacksForms}>{children}</SessionGate>
    </ClerkProvider>
  )
}

/** Signing out reloads the page, so that no account data stays in memory. */
function leave(): void {
  forgetOthers(null)
  window.location.assign(signedOutPath)
}

/**
 * Without the sign-in service no page can know who the user is, and a visitor cannot sign in, so no page is
 * shown. A user who is signed in goes without Clerk's menus.
 */
function SessionGate({ lacksForms, children }: { lacksForms: boolean; children: ReactNode }) {
  const { status, isSignedIn } = useClerk()
  const { isLoaded, userId } = useAuth()
  useEffect(() => {
    if (isLoaded) forgetOthers(userId)
  }, [isLoaded, userId])
  useEffect(() => {
    if (!lacksForms) return
    toast.error('The sign-in service is not responding', {
      description: 'Check your connection, then reload the page.',
    })
  }, [lacksForms])
  return status === 'error' || (lacksForms && !isSignedIn) ? <AuthenticationErrorScreen /> : children
}

/** Clerk's own sentence mentions a limit that means nothing to an invited person. */
const clerkTexts = {
  unstable__errors: {
    organization_membership_quota_exceeded:
      'This organization has no free seats. Ask an administrator to buy more.',
  },
}

/** Styles Clerk's components with our CSS variables, so that they follow the theme. */
const clerkAppearance = {
  variables: {
    colorPrimary: 'var(--tide-accent)',
    colorPrimaryForeground: 'var(--tide-on-accent)',
    colorBackground: 'var(--tide-surface)',
    colorForeground: 'var(--tide-ink)',
    colorMuted: 'var(--tide-sunken)',
    colorMutedForeground: 'var(--tide-muted)',
    colorNeutral: 'var(--tide-ink)',
    colorInput: 'var(--tide-surface)',
    colorInputForeground: 'var(--tide-ink)',
    colorBorder: 'var(--tide-ink)',
    colorRing: 'var(--tide-accent)',
    colorDanger: 'var(--tide-critical)',
    colorSuccess: 'var(--tide-positive)',
    colorWarning: 'var(--tide-caution)',
    colorShadow: 'oklch(0.2 0.03 230)',
    colorModalBackdrop: 'oklch(0 0 0 / 0.5)',
    fontFamily: 'var(--font-sans)',
    borderRadius: '0.5rem',
  },
  // The names are optional at Clerk; without this the form does not ask for them.
  options: { shimmer: false, showOptionalFields: true },
}

/** The stand-in, which alone is proxied, keeps no pictures: their buttons go, with the hint behind them. */
const withoutUploads = { avatarImageActions: { '&, & + *': { display: 'none' } } }
