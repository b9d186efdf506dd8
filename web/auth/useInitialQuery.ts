import { useState } from 'react'
import { useLocation } from 'react-router-dom'
import { type SelectionProblem, selectionProblem } from './offer.ts'
import type { RedirectInput } from './redirects.ts'
import { readSelection } from './selection.ts'

interface InitialQuery {
  search: string
  query: URLSearchParams
  /** Why the plan that it names cannot be bought. */
  problem: SelectionProblem | null
  redirect: RedirectInput
}

/** The query at opening, kept in state: the sign-in form's steps drop it from the address. */
export function useInitialQuery(): InitialQuery {
  const [search] = useState(useLocation().search)
  const query = new URLSearchParams(search)
  return {
    search,
    query,
    problem: selectionProblem(query),
    redirect: {
      selection: readSelection(query),
      redirectUrl: query.get('redirect_url'),
      origin: window.location.origin,
    },
  }
}
