import { createContext, useContext } from 'react'

/**
 * Whether a visitor of the marketing pages is probably signed in, by a cookie of Clerk's that holds no
 * secret. Those pages load nothing of Clerk's, and the links that depend on this lead to pages that find out
 * for certain.
 */
export const SignedInContext = createContext(false)

export function useSignedIn(): boolean {
  return useContext(SignedInContext)
}
