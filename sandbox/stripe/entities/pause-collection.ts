import type { Cause, Service } from '../service.ts'
import type { StoredInvoice } from '../state.ts'
import { finalizeInvoice } from './finalize-invoice.ts'
import { markUncollectible, subscriptionOf, voidInvoice } from './invoice.ts'

/**
 * Finalizes a subscription's draft, unless its collection is paused: then the draft is kept, voided or marked
 * uncollectible. https://docs.stripe.com/billing/subscriptions/pause-payment
 */
export function finalizeUnlessPaused(
  service: Service,
  draft: StoredInvoice,
  { cause }: { cause: Cause },
): StoredInvoice {
  const subscription = service.store.subscriptions.get(subscriptionOf(draft))
  switch (subscription?.pause_collection?.behavior) {
    case 'keep_as_draft':
      return draft
    case 'void':
      return voidInvoice(service, finalizeInvoice(service, draft, { cause, is_collected: false }), cause)
    case 'mark_uncollectible': {
      const open = finalizeInvoice(service, draft, { cause })
      if (open.status !== 'open') return open
      return markUncollectible(service, open, { reason: 'subscription_paused', cause })
    }
    default:
      return finalizeInvoice(service, draft, { cause })
  }
}
