import { type Cause, noCall, type Service } from '../service.ts'
import type { StoredInvoice, StoredSubscription } from '../state.ts'
import { emit } from './event.ts'
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

/** A pause that was to last until now is over: the invoices to come are collected again. */
export function resumeCollection(service: Service, subscription: StoredSubscription): void {
  const { pause_collection } = subscription
  const resumed = service.store.subscriptions.put({ ...subscription, pause_collection: null })
  emit(service, 'customer.subscription.updated', resumed, {
    cause: noCall,
    previous_attributes: { pause_collection },
  })
}
