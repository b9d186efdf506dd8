import { invalidRequest } from '../errors.ts'
import type { Settings } from '../settings.ts'
import type { ReturnAddresses } from './session-params.ts'

/** Stripe replaces this with the session's id; it must arrive unencoded. */
const sessionPlaceholder = '{CHECKOUT_SESSION_ID}'

/** Only our own pages: buyers trust the address that a payment returns to. */
function isOwnAddress(address: string, settings: Pick<Settings, 'own_origins'>): boolean {
  if (!URL.canParse(address)) return false
  const { protocol, origin, username, password } = new URL(address)
  // `blob:https://us/…` has our origin, and a user name before the host can look like a host.
  const isPage = protocol === 'https:' || protocol === 'http:'
  return isPage && username === '' && password === '' && settings.own_origins.includes(origin)
}

/** The address with the session's id in its query, as the success pages read it. */
function withSessionId(address: string): string {
  const url = new URL(address)
  url.searchParams.delete('session_id')
  const separator = url.search ? '&' : '?'
  return `${url.origin}${url.pathname}${url.search}${separator}session_id=${sessionPlaceholder}${url.hash}`
}

/** Returns to pages of the web app, e.g. `/billing/success`. */
export function returnPages(
  { app_url }: Pick<Settings, 'app_url'>,
  pages: { readonly success: string; readonly cancel: string },
): ReturnAddresses {
  return { success_url: withSessionId(`${app_url}${pages.success}`), cancel_url: `${app_url}${pages.cancel}` }
}

/** Where the buyer is sent: the addresses in the request, which must be ours, or else the default pages. */
export function returnAddresses(
  settings: Pick<Settings, 'app_url' | 'own_origins'>,
  requested: { readonly successUrl?: string | undefined; readonly cancelUrl?: string | undefined },
): ReturnAddresses {
  const success_url = requested.successUrl ?? `${settings.app_url}/payment/success`
  const cancel_url = requested.cancelUrl ?? `${settings.app_url}/payment/cancelled`
  for (const [path, address] of Object.entries({ successUrl: success_url, cancelUrl: cancel_url })) {
    if (isOwnAddress(address, settings)) continue
    const fields = [{ path, message: 'Must be on the application’s own origin' }]
    throw invalidRequest(`${path} must be an address of this application`, fields, 'foreign_return_address')
  }
  // As it was read, not as it was written: others may read `\\@` before a host in another way.
  return { success_url: withSessionId(success_url), cancel_url: new URL(cancel_url).href }
}
