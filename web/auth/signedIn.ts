import { createContext, useContext } from 'react'

/**
 * Whether a visitor of the marketing pages is probably signed in, by a public cookie of Clerk's. Those pages
 * load no code of Clerk's; the linked pages check the session.
 */
export const SignedInContext = createContext(false)

export function useSignedIn(): boolean {
  return useContext(SignedInContext)
}
