import ipaddr from 'ipaddr.js'
import proxyaddr from 'proxy-addr'
import type { AppMiddleware } from '../context.ts'
import type { Settings } from '../settings.ts'

/**
 * Says where a request comes from, for the limits of callers who have not signed in. X-Forwarded-For is read
 * from its end, for as long as the address before is one of our proxies: what stands left of that was written
 * by the caller.
 */
export function clientAddress({ trusted_proxies }: Pick<Settings, 'trusted_proxies'>): AppMiddleware {
  const isTrusted = proxyaddr.compile([...trusted_proxies])
  /** The last address: most calls come over few connections. */
  let last = { address: '', network: networkOf('') }
  return (ctx, next) => {
    const address = proxyaddr(ctx.req, isTrusted)
    if (address !== last.address) last = { address, network: networkOf(address) }
    ctx.state.network = last.network
    return next()
  }
}

/** An IPv4 address, or the /64 of an IPv6 address: a client usually controls all 2⁶⁴ addresses of its /64. */
export function networkOf(address: string): string {
  // A zone is the name of an interface, e.g. fe80::1%eth0.
  const plain = address.replace(/%.*$/, '')
  if (!ipaddr.isValid(plain)) return 'unknown'
  const parsed = ipaddr.process(plain)
  if (parsed instanceof ipaddr.IPv4) return parsed.toString()
  return `${ipaddr.IPv6.networkAddressFromCIDR(`${parsed.toNormalizedString()}/64`).toString()}/64`
}
