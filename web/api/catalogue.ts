import { createContext, useContext } from 'react'
import type { PageState, WebConfig } from '../../schema/api/catalogue.ts'

export const WebConfigContext = createContext<WebConfig | null>(null)

export function useWebConfig(): WebConfig {
  const config = useContext(WebConfigContext)
  if (!config) throw new Error('useWebConfig needs a WebConfigContext above it')
  return config
}

/** What the server wrote into the document; nothing when Vite's development server sent it. */
export function readPageState(): PageState | null {
  const text = document.getElementById('page-state')?.textContent
  return text ? (JSON.parse(text) as PageState) : null
}

/**
 * Whether a visitor of the marketing pages is probably signed in, by a public cookie of Clerk's. Those pages
 * load no code of Clerk's; the linked pages check the session.
 */
export const SignedInContext = createContext(false)

export function useSignedIn(): boolean {
  return useContext(SignedInContext)
}
