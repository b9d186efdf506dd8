import type { ClerkClient } from '@clerk/backend'
import type Stripe from 'stripe'
import { checkoutSteps } from './checkout-steps.ts'
import { clerkSteps } from './clerk-steps.ts'
import { type Findings, play } from './findings.ts'
import { moneyBackSteps } from './money-back-steps.ts'
import { priceSteps } from './price-steps.ts'
import { seatSteps } from './seat-steps.ts'
import { timeSteps } from './time-steps.ts'
import { trialSteps } from './trial-steps.ts'

interface Options {
  readonly stripe: Stripe
  /** With a key that may read customers and nothing else; null where there is none. */
  readonly restricted: Stripe | null
  readonly clerk: ClerkClient
  readonly production: ClerkClient | null
  readonly app_url: string
  /** How long to wait for what Stripe does in its own time. */
  readonly patience_ms: number
  readonly say: (line: string) => void
}

/** Plays a customer's first weeks at Stripe and Clerk, and deletes or cancels all objects at the end. */
export async function playLiveCheck(options: Options): Promise<Findings> {
  const running = new AsyncDisposableStack()
  try {
    const account = { ...options, running }
    const steps = [
      ...checkoutSteps(account),
      ...trialSteps(account),
      ...seatSteps(account),
      ...moneyBackSteps(account),
      ...priceSteps(account),
      ...timeSteps(account),
      ...clerkSteps(account),
    ]
    return await play(steps, options.say)
  } finally {
    await running.disposeAsync().catch((error: unknown) => {
      options.say(`Not everything could be deleted: ${error instanceof Error ? error.message : error}`)
    })
  }
}
