import { freePlan } from '../../schema/catalogue/sold-plans.ts'
import type { Selection } from './selection.ts'

const home = '/dashboard'

/**
 * A path on our own origin, or `null`. A redirect address comes from the query and cannot be trusted: other
 * origins and other schemes are refused, including when spelled `//host` or `/\host`.
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
  // "/..//host" has our origin, but its normalized path "//host" links to another host.
  if (url.pathname.startsWith('//')) return null
  if (!decoded.startsWith('/') && !decoded.startsWith(`${origin}/`) && decoded !== origin) return null
  return url.pathname + url.search + url.hash
}

/** Reading the query decodes it once already, but links written by hand are often encoded twice. */
function decode(address: string): string | null {
  if (!/^%2f|^https?%3a/i.test(address)) return address
  try {
    return decodeURIComponent(address)
  } catch {
    return null
  }
}

export interface RedirectInput {
  selection: Selection
  redirectUrl: string | null
  origin: string
}

/** The page after sign-in: the plan step for a paid plan, else the requested page or the dashboard. */
export function afterSignIn({ selection, redirectUrl, origin }: RedirectInput): string {
  const target = sameOriginPath(redirectUrl, origin)
  if (selection.plan && selection.plan !== freePlan.plan_type) {
    return postSignupPath({ selection, originalRedirect: target })
  }
  return target ?? home
}

/** Where to go after signing up: always to the plan step, with the free plan unless another was chosen. */
export function afterSignUp({ selection, redirectUrl, origin }: RedirectInput): string {
  return postSignupPath({ selection, originalRedirect: sameOriginPath(redirectUrl, origin) })
}

function postSignupPath(step: { selection: Selection; originalRedirect: string | null }): string {
  const { plan, billing, currency, seats } = step.selection
  const search = new URLSearchParams({
    plan: plan ?? freePlan.plan_type,
    billing,
    ...(currency && { currency }),
    seats: String(seats),
  })
  if (step.originalRedirect) search.set('original_redirect', step.originalRedirect)
  return `/auth/post-signup?${search}`
}

export function afterPostSignup(originalRedirect: string | null, origin: string): string {
  return sameOriginPath(originalRedirect, origin) ?? home
}

export function signInPath(location: { pathname: string; search: string; hash: string }): string {
  const here = location.pathname + location.search + location.hash
  return `/sign-in?${new URLSearchParams({ redirect_url: here })}`
}

/** The plan step's link for signed-out visitors, with their selection and requested page. */
export function signUpPath(step: URLSearchParams): string {
  const search = new URLSearchParams(step)
  const target = search.get('original_redirect')
  search.delete('original_redirect')
  if (target) search.set('redirect_url', target)
  return search.size > 0 ? `/sign-up?${search}` : '/sign-up'
}

/** Where the browser goes with what the editor needs. The address keeps a query of its own. */
export function editorAddress(signIn: {
  readonly redirect_uri: string
  readonly code: string
  readonly state: string
}): string {
  const url = new URL(signIn.redirect_uri)
  url.searchParams.append('code', signIn.code)
  url.searchParams.append('state', signIn.state)
  return url.href
}
