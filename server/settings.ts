import { randomBytes } from 'node:crypto'
import { resolve } from 'node:path'
import { type Editors, loopbackNames } from '../schema/api/redirect-uri.ts'
import type { Brand } from '../schema/catalogue/brand.ts'
import { maximumSeats } from '../schema/catalogue/plans.ts'
import { actLimitsOf, brandOf, listOf, type ProcessEnvironment } from '../schema/env.ts'
import { editorsOf } from '../schema/extension/editors.ts'
import { ownOrigins } from '../schema/origins.ts'
import type { ActLimits } from '../schema/support/acts.ts'

/** The environment, in the form in which the server uses it. */
export interface Settings {
  readonly production: boolean
  /** The application's address without a slash at the end. */
  readonly app_url: string
  /** Every origin of our own pages; tokens and return addresses of other origins are refused. */
  readonly own_origins: readonly string[]
  /** Whether the `Host` of a request is ours; others are not answered. */
  readonly isOwnHost: (host: string) => boolean
  /** Addresses and networks whose X-Forwarded-For is believed. */
  readonly trusted_proxies: readonly string[]
  /** Our extensions, `publisher.extension` in lower case. */
  readonly extension_ids: readonly string[]
  /** Where a sign-in may end, beside this machine. */
  readonly editors: Editors
  /** The first signs what an editor's sign-in began with; all are accepted. */
  readonly sign_in_secrets: Secrets
  /** Whether customers are told news by e-mail, or in the sandbox are shown it. */
  readonly mails: boolean
  /** With `gateway` an editor's token neither reports usage nor has holds. */
  readonly metered_by: ProcessEnvironment['METERED_BY']
  readonly brand: Brand
  /** An event that is signed with any of them is Stripe's: while a secret is replaced there are two. */
  readonly stripe_webhook_secrets: Secrets
  /** Set when the Stripe sandbox is used. */
  readonly stripe_api_base: string | undefined
  /** Whether Stripe works out the tax that is inside our prices. */
  readonly stripe_tax: boolean
  /** Terms to which buyers agree on the payment page, where there are any. */
  readonly terms_url: string | undefined
  readonly clerk_publishable_key: string
  readonly clerk_webhook_secrets: Secrets
  /** Set when the Clerk sandbox is used, which is served under our own origin. */
  readonly clerk_proxy_target: string | undefined
  readonly sandbox: boolean
  readonly sample_editor_url: string | undefined
  readonly sample_gateway_url: string | undefined
  /** Of an organization; less than the catalogue's where Clerk allows less. */
  readonly maximum_seats: number
  /** Credits that one support person may adjust without a second one. */
  readonly act_limits: ActLimits
  readonly claim_after_ms: number
  /** An event that waits longer than this means that no worker is running. */
  readonly backlog_limit_ms: number
  /** How long the answer of /readyz is given again. */
  readonly ready_answer_ms: number
  /** How long a health check or a scrape waits for the database or the queue. */
  readonly probe_limit_ms: number
  /** How long a request waits for the queue. The row is already written, so the claim finds it anyway. */
  readonly enqueue_limit_ms: number
  /** The folder of the built web app. What renders its marketing pages is beside it, in `server`. */
  readonly web_root: string
}

export function settingsOf(env: ProcessEnvironment): Settings {
  const production = env.NODE_ENV === 'production'
  return {
    production,
    app_url: env.APP_URL.replace(/\/$/, ''),
    own_origins: ownOrigins(env.APP_URL, { production }),
    isOwnHost: ownHosts(env.APP_URL, { production, extra: listOf(env.EXTRA_HOSTS) }),
    trusted_proxies: listOf(env.TRUSTED_PROXIES),
    extension_ids: listOf(env.EXTENSION_IDS).map((id) => id.toLowerCase()),
    editors: editorsOf(env.EDITORS) ?? {},
    sign_in_secrets: secretsOf(env.SIGN_IN_SECRET ?? randomBytes(32).toString('hex')),
    mails: env.SMTP_URL !== undefined || !production,
    metered_by: env.METERED_BY,
    brand: brandOf(env as Parameters<typeof brandOf>[0]),
    stripe_webhook_secrets: secretsOf(env.STRIPE_WEBHOOK_SECRET),
    stripe_api_base: env.STRIPE_API_BASE,
    stripe_tax: env.STRIPE_TAX === 'on',
    terms_url: env.TERMS_URL,
    clerk_publishable_key: env.CLERK_PUBLISHABLE_KEY,
    clerk_webhook_secrets: secretsOf(env.CLERK_WEBHOOK_SECRET),
    clerk_proxy_target: env.CLERK_PROXY_TARGET,
    sandbox: env.STRIPE_API_BASE !== undefined || env.CLERK_API_URL !== undefined,
    sample_editor_url: env.SAMPLE_EDITOR_URL,
    sample_gateway_url: env.SAMPLE_GATEWAY_URL,
    maximum_seats: maximumSeats,
    act_limits: actLimitsOf(env),
    claim_after_ms: env.CLAIM_AFTER_MS,
    backlog_limit_ms: 5 * 60_000,
    ready_answer_ms: 1000,
    probe_limit_ms: 2000,
    enqueue_limit_ms: 2000,
    web_root: resolve(import.meta.dirname, '../web/dist/client'),
  }
}

/** At least one. */
type Secrets = readonly [string, ...string[]]

function secretsOf(value: string): Secrets {
  const [first = value, ...others] = listOf(value)
  return [first, ...others]
}

/**
 * The hosts that we answer for: that of our address and `extra` ones. In development every port of a loopback
 * name is one, because no other site's name can be a loopback name.
 */
export function ownHosts(
  appUrl: string,
  options: { readonly production: boolean; readonly extra: readonly string[] },
): (host: string) => boolean {
  const { protocol, host: own, hostname } = new URL(appUrl)
  const known = new Set([own, ...options.extra.map((host) => host.toLowerCase())])
  const isLoopback = !options.production && loopbackNames.includes(hostname)
  return (host) => {
    if (!/^[\w.-]+(?::\d+)?$|^\[[\da-f:]+\](?::\d+)?$/i.test(host)) return false
    const asked = URL.parse(`${protocol}//${host}`)
    return asked !== null && (known.has(asked.host) || (isLoopback && loopbackNames.includes(asked.hostname)))
  }
}
