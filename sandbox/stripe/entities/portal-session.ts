import type Stripe from 'stripe'
import { newId } from '../../kit/id.ts'
import type { Service } from '../service.ts'
import type { StoredPortalConfiguration, StoredPortalSession } from '../state.ts'
import { asPublished } from './published.ts'

export type PortalFlow = Stripe.BillingPortal.Session.Flow

export function newPortalSession(
  { clock, livemode, publicUrl }: Service,
  {
    configuration,
    customer,
    flow,
    locale,
    return_url,
  }: {
    configuration: StoredPortalConfiguration
    customer: string
    flow: PortalFlow | null
    locale: string | null
    return_url: string | null
  },
): StoredPortalSession {
  const id = newId('bps')
  return asPublished<StoredPortalSession>({
    id,
    object: 'billing_portal.session',
    after_expiration: null,
    configuration: configuration.id,
    created: clock.now(),
    customer,
    flow,
    livemode,
    locale,
    return_url,
    url: `${publicUrl}/p/session/${id}`,
  })
}
