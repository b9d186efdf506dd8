import type { Settings } from '../settings.ts'

/** Stripe replaces this with the session's id; it must arrive unencoded. */
const sessionPlaceholder = '{CHECKOUT_SESSION_ID}'

/** Whether a browser may be sent there after paying: our own pages only, or we would vouch for somebody else's. */
export function isOwnAddress(address: string, settings: Pick<Settings, 'own_origins'>): boolean {
  return URL.canParse(address) && settings.own_origins.includes(new URL(address).origin)
}

/** The address with the session's id in its query, as the success pages read it. */
export function withSessionId(address: string): string {
  const url = new URL(address)
  url.searchParams.delete('session_id')
  const separator = url.search ? '&' : '?'
  return `${url.origin}${url.pathname}${url.search}${separator}session_id=${sessionPlaceholder}${url.hash}`
}
