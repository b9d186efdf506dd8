import type { Selection } from './selection.ts'

const home = '/dashboard'

/**
 * A path on our own origin, or `null`. A redirect address comes from the query, so anybody can write it: other origins,
 * other schemes and the `//host` and `/\host` spellings of them are refused.
 */
export function sameOriginPath(address: string | null, origin: string): string | null {
  if (!address) return null
  const decoded = decode(address)
  if (decoded === null) return null
  // Control characters are removed by URL parsers, which would turn "/\t/host" into "//host".
  if (/[\p{Cc}\\]/u.test(decoded)) return null
  if (!URL.canParse(decoded, origin)) return null
  const url = new URL(decoded, origin)
  if (url.origin !== origin) return null
  // "/..//host" stays on our origin, but its normalized path would be read as another host by the next reader.
  if (url.pathname.startsWith('//')) return null
  if (!decoded.startsWith('/') && !decoded.startsWith(`${origin}/`) && decoded !== origin) return null
  return url.pathname + url.search + url.hash
}

/** The query is decoded once when it is read; links made by hand are often encoded twice. */
function decode(address: string): string | null {
  if (!/^%2f|^https?%3a/i.test(address)) return address
  try {
    return decodeURIComponent(address)
  } catch {
    return null
  }
}

interface RedirectInput {
  selection: Selection
  redirectUrl: string | null
  origin: string
}

/** Where a sign-in leads: a paid plan is set up first, then the page that was asked for, else the dashboard. */
export function afterSignIn({ selection, redirectUrl, origin }: RedirectInput): string {
  const target = sameOriginPath(redirectUrl, origin)
  if (selection.plan && selection.plan !== 'starter') {
    return postSignupPath({ selection, originalRedirect: target })
  }
  return target ?? home
}

/** Where a sign-up leads: always through the plan step, on the free plan unless another was chosen. */
export function afterSignUp({ selection, redirectUrl, origin }: RedirectInput): string {
  return postSignupPath({ selection, originalRedirect: sameOriginPath(redirectUrl, origin) })
}

function postSignupPath(step: { selection: Selection; originalRedirect: string | null }): string {
  const { plan, billing, currency, seats } = step.selection
  const search = new URLSearchParams({
    plan: plan ?? 'starter',
    billing,
    currency,
    seats: String(seats),
  })
  if (step.originalRedirect) search.set('original_redirect', step.originalRedirect)
  return `/auth/post-signup?${search}`
}

/** Where the plan step leads once it is done. */
export function afterPostSignup(originalRedirect: string | null, origin: string): string {
  return sameOriginPath(originalRedirect, origin) ?? home
}

export function signInPath(location: { pathname: string; search: string; hash: string }): string {
  const here = location.pathname + location.search + location.hash
  return `/sign-in?${new URLSearchParams({ redirect_url: here })}`
}
