import type { TraceItem } from '../../schema/api/support.ts'
import type { Settings } from '../settings.ts'

export type VendorLinks = TraceItem['links']

const nowhere: VendorLinks = { stripe: null, clerk: null }

/** Pages of Stripe's dashboard, by id prefix. Other ids use its search. */
const pages: Readonly<Record<string, string>> = {
  cus: 'customers',
  sub: 'subscriptions',
  in: 'invoices',
  pi: 'payments',
  ch: 'payments',
  py: 'payments',
  evt: 'events',
}

/** Addresses of the same object in the vendors' dashboards. The stand-ins have none. */
export function openLinks(settings: Pick<Settings, 'stripe_api_base' | 'clerk_proxy_target'>) {
  return {
    none: nowhere,
    stripe(id: string, livemode: boolean): VendorLinks {
      if (settings.stripe_api_base !== undefined) return nowhere
      const page = pages[/^[a-z]+/.exec(id)?.[0] ?? '']
      const path = page ? `${page}/${id}` : `search?query=${encodeURIComponent(id)}`
      return { stripe: `https://dashboard.stripe.com/${livemode ? '' : 'test/'}${path}`, clerk: null }
    },
    /** `~` is the application that was open last: https://clerk.com/docs/guides/dashboard/user-profile. */
    clerk(id: string): VendorLinks {
      if (settings.clerk_proxy_target !== undefined) return nowhere
      const page = id.startsWith('org_') ? 'organizations' : 'users'
      return { stripe: null, clerk: `https://dashboard.clerk.com/~/${page}/${id}` }
    },
  }
}

export type Links = ReturnType<typeof openLinks>
