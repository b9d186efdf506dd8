import { useEffect, useState } from 'react'
import { browserStores, type Stores } from './browserStores.ts'

const name = 'credit-amount'

/**
 * The text of the amount: a pack at first, then what the buyer chose for this payer in this tab. It outlasts
 * the way to the payment page and back, until its purchase has landed.
 */
export function useChosenAmount(payerId: string, pack: string): [string, (text: string) => void] {
  const [text, setText] = useState(() => readAmount(payerId) ?? pack)
  function choose(next: string): void {
    setText(next)
    browserStores().session.setItem(name, JSON.stringify({ payerId, text: next }))
  }
  return [text, choose]
}

export function forgetChosenAmount(): void {
  browserStores().session.removeItem(name)
}

function readAmount(payerId: string): string | null {
  try {
    const chosen = JSON.parse(browserStores().session.getItem(name) ?? 'null')
    return (chosen?.payerId === payerId && chosen.text) || null
  } catch {
    return null
  }
}

const keyName = 'credit-purchase'
const leftName = 'credit-purchase-left'
/** After this the same amount again is another purchase. */
const sameForMs = 60_000

interface KnownKey {
  readonly purchase: string
  readonly key: string
  readonly at: number
}

/** A purchase's Idempotency-Key, shared by all tabs until the tab returns from the payment page. */
export function purchaseKeys({ local, session }: Stores, now: () => number = Date.now) {
  const read = (): KnownKey | null => {
    try {
      return JSON.parse(local.getItem(keyName) ?? 'null')
    } catch {
      return null
    }
  }
  return {
    keyOf(purchase: string): string {
      const known = read()
      const isFresh = known?.purchase === purchase && now() - known.at < sameForMs
      const key = isFresh ? known.key : crypto.randomUUID()
      if (!isFresh) local.setItem(keyName, JSON.stringify({ purchase, key, at: now() } satisfies KnownKey))
      return key
    },
    /** This tab goes to the payment page. */
    leave(key: string): void {
      session.setItem(leftName, key)
    },
    /** The tab returned from the payment page: the next purchase gets a new key. */
    comeBack(): void {
      const left = session.getItem(leftName)
      session.removeItem(leftName)
      if (left !== null && read()?.key === left) local.removeItem(keyName)
    },
  }
}

export function usePurchaseKeys() {
  const [keys] = useState(() => purchaseKeys(browserStores()))
  useEffect(() => {
    keys.comeBack()
    const onPageShow = ({ persisted }: PageTransitionEvent) => persisted && keys.comeBack()
    window.addEventListener('pageshow', onPageShow)
    return () => window.removeEventListener('pageshow', onPageShow)
  }, [keys])
  return keys
}
