import { useState } from 'react'
import { browserStores } from './browserStores.ts'

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
