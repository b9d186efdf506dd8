import { useSyncExternalStore } from 'react'
import type { Currency } from '../../../schema/catalogue/currency.ts'
import type { BillingFrequency } from '../../../schema/catalogue/plans.ts'
import { offeredCurrency, readSelection, rememberedCurrency } from '../../auth/selection.ts'
import { useSignedIn } from '../../auth/signedIn.ts'

type Choice = Pick<Offer, 'billing' | 'currency'>

interface Offer {
  readonly billing: BillingFrequency
  readonly currency: Currency
  /** A plan decides the currency. */
  readonly is_bound: boolean
}

const changed = 'offerchange'

/** The period and currency of prices, kept in the URL, so that a link shows the same prices. */
export function useOffer(): Offer & { choose: (choice: Partial<Choice>) => void } {
  // The server renders one page for every query.
  const search = useSyncExternalStore(
    subscribe,
    () => window.location.search,
    () => '',
  )
  const remembered = useSyncExternalStore(subscribe, rememberedCurrency, () => '')
  const signedIn = useSignedIn()
  const { billing, currency } = readSelection(new URLSearchParams(search))
  return { billing, ...offeredCurrency(currency, signedIn ? remembered : ''), choose }
}

function choose(choice: Partial<Choice>): void {
  const query = new URLSearchParams(window.location.search)
  for (const [name, value] of Object.entries(choice)) query.set(name, value)
  window.history.replaceState(window.history.state, '', `?${query}${window.location.hash}`)
  window.dispatchEvent(new Event(changed))
}

function subscribe(notify: () => void): () => void {
  window.addEventListener(changed, notify)
  window.addEventListener('popstate', notify)
  return () => {
    window.removeEventListener(changed, notify)
    window.removeEventListener('popstate', notify)
  }
}
