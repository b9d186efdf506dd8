import { ClerkProvider, useClerk } from '@clerk/clerk-react'
import type { ReactNode } from 'react'
import type { WebConfig } from '../../schema/api/catalogue.ts'
import { AuthenticationErrorScreen } from '../pages/errors/ErrorScreen.tsx'
import { clerkAppearance } from './appearance.ts'

const signedOutPath = '/'

interface SessionProviderProps {
  clerk: WebConfig['clerk']
  navigate: (to: string, options?: { replace: boolean }) => void
  children: ReactNode
}

export function SessionProvider({ clerk, navigate, children }: SessionProviderProps) {
  return (
    <ClerkProvider
      publishableKey={clerk.publishable_key}
      {...(clerk.proxy_url && { proxyUrl: clerk.proxy_url })}
      {...(clerk.js_url && { clerkJSUrl: clerk.js_url })}
      telemetry={false}
      // Signing out leaves by a full page load, so that nothing of the account stays in memory.
      routerPush={(to: string) => (to === signedOutPath ? window.location.assign(to) : navigate(to))}
      routerReplace={(to: string) => navigate(to, { replace: true })}
      signInUrl="/sign-in"
      signUpUrl="/sign-up"
      afterSignOutUrl={signedOutPath}
      appearance={clerkAppearance}
    >
      <SessionGate>{children}</SessionGate>
    </ClerkProvider>
  )
}

/** Without the sign-in service no page can tell who is there, so none is shown. */
function SessionGate({ children }: { children: ReactNode }) {
  return useClerk().status === 'error' ? <AuthenticationErrorScreen /> : children
}
