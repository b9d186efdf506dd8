import { letterOf } from '../../schema/mails/letters.ts'
import { listMails } from '../../schema/mails/mails.ts'
import type { AppContext, AppMiddleware } from '../context.ts'
import type { Dependencies } from '../dependencies.ts'
import { notFound, refusal } from '../errors.ts'
import { readRawBody } from './read-body.ts'

const prefix = '/__sandbox'
const bodyLimitBytes = 4096
const limitMs = 30_000

/**
 * The knobs open to the page: none that creates users or tokens, or resets. As one of the people whom the
 * state names it signs in by their password, as everybody does.
 */
const turnable: Readonly<Record<string, readonly string[]>> = {
  'stripe/clock/advance': ['POST'],
  'stripe/deliveries': ['POST'],
  'stripe/deliveries/release': ['POST'],
  'stripe/faults': ['POST', 'DELETE'],
  'clerk/faults': ['POST', 'DELETE'],
  'gateway/faults': ['POST', 'DELETE'],
}

/**
 * Lets the page's "Sandbox" panel see and turn some knobs of the stand-ins, which a browser cannot reach
 * under their own addresses. It is mounted only where there is a stand-in, which is never so in production
 * (docs/decisions/079-clerk-stand-in.md).
 */
export function sandboxControls({ settings, db }: Pick<Dependencies, 'settings' | 'db'>): AppMiddleware {
  const targets: Readonly<Record<string, string | undefined>> = {
    stripe: settings.stripe_api_base,
    clerk: settings.clerk_proxy_target,
    gateway: settings.sample_gateway_url,
  }

  /** What a stand-in answers; null where the real service is used. */
  async function ask(service: string, knob: string, request: RequestInit = {}): Promise<unknown> {
    const target = targets[service]
    if (!target) return null
    const url = new URL(`/_sandbox${knob}`, target)
    try {
      const response = await fetch(url, { ...request, signal: AbortSignal.timeout(limitMs) })
      if (!response.ok) throw new Error(`${url.pathname}: ${response.status} ${await response.text()}`)
      return await response.json()
    } catch (error) {
      throw refusal('upstream_unavailable', { cause: error })
    }
  }

  return async (ctx, next) => {
    if (ctx.path !== prefix && !ctx.path.startsWith(`${prefix}/`)) return next()
    requireOwnPage(ctx)
    ctx.set('cache-control', 'no-store')
    if (ctx.path === prefix && ctx.method === 'GET') {
      const [stripe, clerk, gateway] = await Promise.all(
        ['stripe', 'clerk', 'gateway'].map((name) => ask(name, '')),
      )
      const mails = (await listMails(db)).map((mail) => letterOf(mail, settings))
      ctx.body = { stripe, clerk, gateway, mails }
      return
    }
    const name = ctx.path.slice(prefix.length + 1)
    if (!Object.hasOwn(turnable, name) || !turnable[name]?.includes(ctx.method)) throw notFound()
    const [service = '', ...knob] = name.split('/')
    const body = ctx.method === 'POST' && (await readRawBody(ctx, bodyLimitBytes))
    const headers = { 'content-type': 'application/json' }
    const answer = await ask(service, `/${knob.join('/')}`, {
      method: ctx.method,
      ...(body && { body, headers }),
    })
    if (answer === null) throw notFound()
    ctx.body = answer
  }
}

/** Only our own page: every browser says it of itself, and nothing else has to ask here. */
function requireOwnPage(ctx: AppContext): void {
  if (ctx.get('sec-fetch-site') !== 'same-origin') throw refusal('forbidden')
}
