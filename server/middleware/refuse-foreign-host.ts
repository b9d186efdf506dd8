import type { AppMiddleware } from '../context.ts'
import { invalidRequest, refusal } from '../errors.ts'
import type { Settings } from '../settings.ts'

const longestPath = 2048
/** Load balancers ask for these by the machine's own address. */
const health: ReadonlySet<string> = new Set(['/healthz', '/readyz'])

/**
 * Answers only for our own hosts, so that a page under another name that was made to lead here cannot read
 * answers as its own (DNS rebinding), and only addresses that one of ours can have.
 */
export function refuseForeignHost({ isOwnHost }: Pick<Settings, 'isOwnHost'>): AppMiddleware {
  return (ctx, next) => {
    if (ctx.path.length > longestPath) throw refusal('path_too_long')
    // Neither Postgres nor a file system knows it, and Bull Board hands on what it is given.
    if (ctx.url.includes('%00')) throw invalidRequest('An address has no NUL')
    // What is before us may have looked at the other one (RFC 9112, section 3.2).
    if ((ctx.req.headersDistinct.host?.length ?? 0) > 1) throw invalidRequest('A request has one host')
    if (!health.has(ctx.path) && !isOwnHost(ctx.get('host'))) throw refusal('foreign_host')
    return next()
  }
}
