import proxyaddr from 'proxy-addr'
import type { AppMiddleware } from '../context.ts'
import { networksOf } from '../networks.ts'
import type { Settings } from '../settings.ts'

/**
 * Says where a request comes from, for the limits of callers who have not signed in. X-Forwarded-For is read
 * from its end, for as long as the address before is one of our proxies: what stands left of that was written
 * by the caller.
 */
export function clientAddress({ trusted_proxies }: Pick<Settings, 'trusted_proxies'>): AppMiddleware {
  const isTrusted = proxyaddr.compile([...trusted_proxies])
  /** The last address: most calls come over few connections. */
  let last = { address: '', networks: networksOf('') }
  return (ctx, next) => {
    const address = proxyaddr(ctx.req, isTrusted)
    if (address !== last.address) last = { address, networks: networksOf(address) }
    ctx.state.networks = last.networks
    ctx.state.network = last.networks[0].name
    return next()
  }
}
