import { z } from 'zod'
import { explainError } from '../explain-error.ts'
import type { Configuration } from './configuration.ts'
import { type Finding, ok, problem } from './finding.ts'
import { frontendHostOf } from './keys.ts'

const keysSchema = z.object({ keys: z.array(z.object({ kid: z.string() })) })
/** Clerk's Frontend API, `GET /v1/environment`: the settings of the browser's components. */
const settingsSchema = z.object({
  organization_settings: z.object({
    enabled: z.boolean(),
    force_organization_selection: z.boolean().optional(),
  }),
  user_settings: z.object({
    attributes: z.object({
      email_address: z.object({ enabled: z.boolean(), verify_at_sign_up: z.boolean().optional() }),
    }),
  }),
})
const means = {
  unreachable: 'No user can sign in, and no call can be checked.',
  keys: 'The browser signs people in to another application than the one that the server asks: every call is a 401.',
}

/** Checks that both keys work for one application with the required settings. Reads only. */
export async function examineClerk({ env, sandbox }: Configuration): Promise<Finding[]> {
  const backend = `${env.CLERK_API_URL ?? 'https://api.clerk.com'}/v1/jwks`
  const host = frontendHostOf(env.CLERK_PUBLISHABLE_KEY)
  const frontend = env.CLERK_PROXY_TARGET ?? (host && `https://${host}`)
  const repair = sandbox.clerk
    ? 'Run `npm start` first.'
    : 'Copy the keys again: Clerk dashboard, Configure, API keys.'
  const [secret, browser, settings] = await Promise.all([
    read(backend, keysSchema, { authorization: `Bearer ${env.CLERK_SECRET_KEY}` }),
    frontend && read(`${frontend}/.well-known/jwks.json`, keysSchema),
    frontend && read(`${frontend}/v1/environment`, settingsSchema),
  ])
  const findings: Finding[] = []
  const unreachable = (text: string) =>
    findings.push(problem('Clerk', { text, means: means.unreachable, repair }))
  if ('error' in secret) unreachable(`${backend}: ${secret.error}`)
  // What a key without a host means, the finding about its form says.
  if (!browser || !settings) return findings
  if ('error' in browser) unreachable(`${frontend}: ${browser.error}`)
  else if ('value' in secret) {
    const known = new Set(secret.value.keys.map(({ kid }) => kid))
    const areAlike = browser.value.keys.some(({ kid }) => known.has(kid))
    const text = 'CLERK_SECRET_KEY and CLERK_PUBLISHABLE_KEY are of different applications'
    findings.push(
      areAlike
        ? ok('Clerk', 'both keys work and are of one application')
        : problem('Clerk', { text, means: means.keys, repair }),
    )
  }
  if ('value' in settings) findings.push(...examineSettings(settings.value))
  else if ('value' in browser) unreachable(`its settings cannot be read: ${settings.error}`)
  return findings
}

function examineSettings({
  organization_settings,
  user_settings,
}: z.infer<typeof settingsSchema>): Finding[] {
  const findings: Finding[] = []
  if (!organization_settings.enabled) {
    findings.push(
      problem('Clerk settings', {
        text: 'organizations are off, as in every new application',
        means: 'Teams cannot be bought: its organization cannot be made after the payment.',
        repair: 'Clerk dashboard, Configure, Organizations: enable organizations.',
      }),
    )
  } else if (organization_settings.force_organization_selection) {
    findings.push(
      problem('Clerk settings', {
        text: 'personal accounts are off, as they are when organizations are switched on',
        means:
          'New users have to create an organization first, and cannot buy Pro or credits for themselves.',
        repair: 'Clerk dashboard, Configure, Organizations: allow personal accounts.',
      }),
    )
  }
  if (!user_settings.attributes.email_address.enabled) {
    findings.push(
      problem('Clerk settings', {
        text: 'people have no e-mail address',
        means: 'Stripe has no address for invoices, and members cannot be invited.',
        repair:
          'Clerk dashboard, Configure, User & authentication: sign-up with e-mail, verified at sign-up.',
      }),
    )
  }
  return findings.length > 0
    ? findings
    : [ok('Clerk settings', 'organizations, personal accounts, e-mail addresses')]
}

async function read<T>(
  url: string,
  schema: z.ZodType<T>,
  headers: Record<string, string> = {},
): Promise<{ value: T } | { error: string }> {
  try {
    const response = await fetch(url, { headers, signal: AbortSignal.timeout(10_000) })
    if (!response.ok) return { error: `HTTP ${response.status}` }
    const parsed = schema.safeParse(await response.json())
    return parsed.success ? { value: parsed.data } : { error: 'the answer is not Clerk’s' }
  } catch (error) {
    return { error: explainError(error) }
  }
}
