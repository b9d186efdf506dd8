import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { createCreditTopupSession, purchaseCredits } from '../../../schema/api/checkout.ts'
import { topUpOrganizationCredits } from '../../../schema/api/organizations.ts'
import { creditsCostMinor } from '../../../schema/catalogue/credits.ts'
import type { Currency } from '../../../schema/catalogue/currency.ts'
import { useApi } from '../../api/ApiProvider.tsx'
import type { PayerView } from '../../api/account.ts'
import type { Api } from '../../api/client.ts'
import { ApiFailure, failureText, hasCode } from '../../api/failure.ts'
import { toast } from '../../ui/toast.ts'
import { useHostedPage } from '../useHostedPage.ts'
import { browserStores, type Stores } from './browserStores.ts'

/** Each page has its own call for a person, with its own return address. */
export type PurchasePage = 'dashboard' | 'billing'

interface Purchase {
  payer: PayerView
  from: PurchasePage
  currency: Currency
}

/** Starts a purchase of credits and sends the browser to the payment page. */
export function useCreditPurchase(purchase: Purchase) {
  const api = useApi()
  const keys = usePurchaseKeys()
  const queryClient = useQueryClient()
  return useHostedPage({
    mutationFn: async (credits: number) => {
      if (!navigator.onLine) throw new ApiFailure({ status: 0, code: 'offline', text: null })
      const idempotencyKey = keys.keyOf(
        JSON.stringify([purchase.payer, purchase.from, credits, purchase.currency]),
      )
      const page = await openCheckout(api, { ...purchase, credits, idempotencyKey })
      keys.leave(idempotencyKey)
      return page
    },
    onError: (error) => {
      // The form says it below its button, as long as it is so.
      if (hasCode(error, 'offline')) return
      // A plan was bought in another tab, in another currency.
      void queryClient.invalidateQueries({ queryKey: ['account-summary'] })
      // The payment page was not opened.
      toast.error('Error', { description: `${purchaseFailureText(error, purchase)}\nNothing was charged.` })
    },
  })
}

interface Order extends Purchase {
  credits: number
  idempotencyKey: string
}

async function openCheckout(api: Api, order: Order): Promise<{ url: string }> {
  const { payer, from, credits, currency, idempotencyKey } = order
  if (payer.payer !== 'personal') {
    const body = { org_id: payer.payer, credits_amount: credits, currency }
    return { url: (await api(topUpOrganizationCredits, { body, idempotencyKey })).checkout_url }
  }
  if (from === 'dashboard') {
    const amount = creditsCostMinor(credits) / 100
    return api(purchaseCredits, {
      body: { clerkUserId: payer.userId, credits, amount, currency },
      idempotencyKey,
    })
  }
  const { origin } = window.location
  const returns = { successUrl: `${origin}/payment/success`, cancelUrl: `${origin}/billing` }
  const body = { clerkUserId: payer.userId, creditsAmount: credits, currency, ...returns }
  return api(createCreditTopupSession, { body, idempotencyKey })
}

export function purchaseFailureText(error: unknown, { payer, from }: Omit<Purchase, 'currency'>): string {
  if (hasCode(error, 'unexpected_answer')) return 'No checkout URL received'
  const isFromDashboard = payer.payer === 'personal' && from === 'dashboard'
  const defaultText = isFromDashboard
    ? 'Failed to process credit addition'
    : 'Failed to create top-up session'
  return failureText(error, defaultText)
}

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

function usePurchaseKeys() {
  const [keys] = useState(() => purchaseKeys(browserStores()))
  useEffect(() => {
    keys.comeBack()
    const onPageShow = ({ persisted }: PageTransitionEvent) => persisted && keys.comeBack()
    window.addEventListener('pageshow', onPageShow)
    return () => window.removeEventListener('pageshow', onPageShow)
  }, [keys])
  return keys
}
