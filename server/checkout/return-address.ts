import { foreignReturnAddress } from '../errors.ts'
import type { Settings } from '../settings.ts'
import type { ReturnAddresses } from './session-params.ts'

/** Stripe replaces this with the session's id; it must arrive unencoded. */
const sessionPlaceholder = '{CHECKOUT_SESSION_ID}'

/** Whether a browser may be sent there after paying: our own pages only, or we would vouch for somebody else's. */
function isOwnAddress(address: string, settings: Pick<Settings, 'own_origins'>): boolean {
  return URL.canParse(address) && settings.own_origins.includes(new URL(address).origin)
}

/** The address with the session's id in its query, as the success pages read it. */
export function withSessionId(address: string): string {
  const url = new URL(address)
  url.searchParams.delete('session_id')
  const separator = url.search ? '&' : '?'
  return `${url.origin}${url.pathname}${url.search}${separator}session_id=${sessionPlaceholder}${url.hash}`
}

/** Where the buyer is sent: where the page asked, when that is ours, else to the pages made for it. */
export function returnAddresses(
  settings: Pick<Settings, 'app_url' | 'own_origins'>,
  asked: { readonly successUrl?: string | undefined; readonly cancelUrl?: string | undefined },
): ReturnAddresses {
  const success_url = asked.successUrl ?? `${settings.app_url}/payment/success`
  const cancel_url = asked.cancelUrl ?? `${settings.app_url}/payment/cancelled`
  if (!isOwnAddress(success_url, settings)) throw foreignReturnAddress('successUrl')
  if (!isOwnAddress(cancel_url, settings)) throw foreignReturnAddress('cancelUrl')
  return { success_url: withSessionId(success_url), cancel_url }
}
