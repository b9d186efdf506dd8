import { useSyncExternalStore } from 'react'
import type { Currency } from '../../schema/catalogue/currency.ts'
import type { BillingFrequency } from '../../schema/catalogue/plans.ts'
import { useSignedIn } from '../api/catalogue.ts'
import { offeredCurrency, readSelection, rememberedCurrency } from '../auth/selection.ts'
import { readerLocales } from '../reader.ts'
import { useHydrated } from './useHydrated.ts'

const changed = 'offerchange'

/**
 * The period and currency of prices on marketing pages, kept in the URL, so that a link shows the same
 * prices. `is_bound`: a plan decides the currency.
 */
export function useOffer() {
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

/** Formats minor units of the offer's currency in the reader's own way, without ".00": `€20`, `20 €`. */
export function usePrice(): (amountMinor: number) => string {
  const { currency } = useOffer()
  const locale = useHydrated() ? readerLocales : 'en-US'
  const format = new Intl.NumberFormat(locale, {
    style: 'currency',
    currency,
    trailingZeroDisplay: 'stripIfInteger',
  })
  return (amountMinor) => format.format(amountMinor / 100)
}

function choose(choice: { billing?: BillingFrequency; currency?: Currency }): void {
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
