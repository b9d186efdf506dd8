import { z } from 'zod'
import { maximumSeats } from '../../schema/catalogue/plans.ts'
import { openClerk } from '../../schema/vendors/clerk/client.ts'
import { findMembershipMaximum } from '../../schema/vendors/clerk/organizations.ts'
import { explainError } from '../explain-error.ts'
import type { Configuration } from './configuration.ts'
import { type Finding, ok, problem, warning } from './finding.ts'
import { frontendHostOf } from './keys.ts'

const unresolved = 'could not be resolved'
const lookUp =
  'Let this machine look up names of the internet (DNS). If only the host of the publishable key is unknown, copy that key again.'
const keysSchema = z.object({ keys: z.array(z.object({ kid: z.string() })) })

/** Checks that both keys work, and for one application. Reads only. */
export async function examineClerk({ env, sandbox }: Configuration): Promise<Finding[]> {
  const backend = `${env.CLERK_API_URL ?? 'https://api.clerk.com'}/v1/jwks`
  const host = frontendHostOf(env.CLERK_PUBLISHABLE_KEY)
  const frontend = env.CLERK_PROXY_TARGET ?? (host && `https://${host}`)
  const repair = sandbox.clerk
    ? 'Run `npm start` first.'
    : 'Copy the keys again: Clerk dashboard, Configure, API keys.'
  const [secret, browser] = await Promise.all([
    readKeys(backend, { authorization: `Bearer ${env.CLERK_SECRET_KEY}` }),
    // What a key without a host means, the finding about its form says.
    frontend ? readKeys(`${frontend}/.well-known/jwks.json`) : null,
  ])
  const unreachable = [secret, browser].filter((answer) => typeof answer === 'string')
  if (unreachable.length > 0) {
    const means = 'No user can sign in, and no call can be checked.'
    return unreachable.map((text) =>
      problem('Clerk', { text, means, repair: text.endsWith(unresolved) ? lookUp : repair }),
    )
  }
  if (!(secret instanceof Set && browser instanceof Set)) return []
  if ([...secret].some((kid) => browser.has(kid)))
    return [ok('Clerk', 'both keys work and are of one application'), await examineSeats(env)]
  return [
    problem('Clerk', {
      text: 'CLERK_SECRET_KEY and CLERK_PUBLISHABLE_KEY are of different applications',
      means: 'The browser signs people in to another application than the server asks: every call is a 401.',
      repair,
    }),
  ]
}

async function examineSeats({
  CLERK_SECRET_KEY: secretKey = '',
  CLERK_API_URL: apiUrl,
}: Configuration['env']): Promise<Finding> {
  const allowed = await findMembershipMaximum(openClerk({ secretKey, apiUrl }))
  if (allowed >= maximumSeats) return ok('Clerk', `an organization can have ${maximumSeats} seats`)
  return warning('Clerk', {
    text: `it lets ${allowed} people into an organization, and the catalogue has up to ${maximumSeats} seats`,
    means: `No more than ${allowed} seats are sold.`,
    repair:
      'Raise the limit of members (Clerk dashboard, Organizations, Settings; above 20 it takes an add-on), and restart the servers.',
  })
}

/** The ids of the keys that sign an application's sessions, or why they cannot be read. */
async function readKeys(url: string, headers: Record<string, string> = {}): Promise<Set<string> | string> {
  try {
    const response = await fetch(url, { headers, signal: AbortSignal.timeout(10_000) })
    if (!response.ok) return `${url}: HTTP ${response.status}`
    const { success, data } = keysSchema.safeParse(await response.json())
    return success ? new Set(data.keys.map(({ kid }) => kid)) : `${url}: the answer is not Clerk’s`
  } catch (error) {
    const { cause } = error as { cause?: { code?: string } }
    if (cause?.code === 'ENOTFOUND' || cause?.code === 'EAI_AGAIN')
      return `${url}: the name ${new URL(url).hostname} ${unresolved}`
    return `${url}: ${explainError(error)}`
  }
}
