import { Webhook } from 'svix'
import { listOf } from '../../schema/env.ts'
import type { Configuration } from './configuration.ts'
import { type Finding, ok, problem, warning } from './finding.ts'

type Mode = 'test' | 'live'

/** Whether the keys are of the right shape, and all of the same mode. Makes no call. */
export function examineKeys({ env, sandbox }: Configuration): Finding[] {
  const findings: Finding[] = []
  const { STRIPE_SECRET_KEY, CLERK_SECRET_KEY, CLERK_PUBLISHABLE_KEY } = env
  const stripe = modeOf(/^(?:sk|rk)_(test|live)_\w+$/, STRIPE_SECRET_KEY)
  const clerk = modeOf(/^sk_(test|live)_\w+$/, CLERK_SECRET_KEY)
  const browser = frontendHostOf(CLERK_PUBLISHABLE_KEY)
    ? modeOf(/^pk_(test|live)_/, CLERK_PUBLISHABLE_KEY)
    : undefined
  if (!sandbox.stripe) {
    if (stripe) findings.push(ok('Stripe key', `${stripe} mode`))
    else findings.push(...wrongShape('STRIPE_SECRET_KEY', STRIPE_SECRET_KEY, 'sk_test_… or sk_live_…'))
    findings.push(...webhookSecrets('STRIPE_WEBHOOK_SECRET', env.STRIPE_WEBHOOK_SECRET))
  }
  if (!sandbox.clerk) {
    const shape = 'pk_test_… or pk_live_…, with the host of the Frontend API in it'
    if (!clerk) findings.push(...wrongShape('CLERK_SECRET_KEY', CLERK_SECRET_KEY, 'sk_test_… or sk_live_…'))
    if (!browser) findings.push(...wrongShape('CLERK_PUBLISHABLE_KEY', CLERK_PUBLISHABLE_KEY, shape))
    if (clerk && browser)
      findings.push(clerk === browser ? ok('Clerk keys', `${clerk} mode`) : clerkModes(clerk, browser))
    findings.push(...webhookSecrets('CLERK_WEBHOOK_SECRET', env.CLERK_WEBHOOK_SECRET))
  }
  if (!sandbox.stripe && !sandbox.clerk && stripe && clerk && stripe !== clerk)
    findings.push(mixedModes(stripe, clerk))
  return sandbox.stripe && sandbox.clerk ? [ok('keys', 'none: both services are sandboxes')] : findings
}

/**
 * The host that a publishable key names: behind its prefix it is the base64 of that and a dollar sign
 * (https://clerk.com/docs/how-clerk-works/overview). Null when it is not of that form.
 */
export function frontendHostOf(publishableKey: string): string | null {
  const [, encoded = ''] = /^pk_(?:test|live)_([\w+/=-]+)$/.exec(publishableKey) ?? []
  return /^([a-z\d-]+(?:\.[a-z\d-]+)+)\$$/i.exec(Buffer.from(encoded, 'base64').toString())?.[1] ?? null
}

function modeOf(shape: RegExp, key: string): Mode | undefined {
  return shape.exec(key)?.[1] as Mode | undefined
}

/** That it is missing is a finding of the environment. */
function wrongShape(name: string, key: string, shape: string): Finding[] {
  if (key === '') return []
  return [
    problem('keys', {
      text: `${name} is not of the form ${shape}`,
      means: 'Every call with it is refused.',
      repair: 'Copy it once more from the dashboard, whole and without quotes.',
    }),
  ]
}

function clerkModes(secret: Mode, browser: Mode): Finding {
  return problem('Clerk keys', {
    text: `CLERK_SECRET_KEY is of ${secret} mode and CLERK_PUBLISHABLE_KEY of ${browser} mode`,
    means:
      'The browser signs people in to another instance than the one that the server asks: every call is a 401.',
    repair: 'Take both keys from one instance: Clerk dashboard, Configure, API keys.',
  })
}

function mixedModes(stripe: Mode, clerk: Mode): Finding {
  return problem('modes', {
    text: `Stripe is in ${stripe} mode and Clerk in ${clerk} mode`,
    means:
      'Either real people would get credits for test cards, or people of a test instance would pay with real money.',
    repair: 'Use the live keys of both, or the test keys of both.',
  })
}

function webhookSecrets(name: string, secrets: string): Finding[] {
  const findings = listOf(secrets).flatMap((secret) => webhookSecret(name, secret))
  const count = listOf(secrets).length
  if (count < 2) return findings
  const text = `${name} holds ${count} secrets`
  const means = 'Events that are signed with an old one are believed for as long as it stands there.'
  const repair = 'Take the old one out once the sender has let it expire.'
  return [...findings, warning('webhook secrets', { text, means, repair })]
}

/** Both services sign with such a secret: a prefix and base64. */
function webhookSecret(name: string, secret: string): Finding[] {
  const repair = 'Copy the signing secret (whsec_…) from the endpoint in the dashboard.'
  try {
    new Webhook(secret)
  } catch {
    return [shapelessSecret(name, 'is not of the form whsec_…', repair)]
  }
  if (!secret.startsWith('whsec_')) return [shapelessSecret(name, 'does not begin with whsec_', repair)]
  if (secret.length < 'whsec_'.length + 24) {
    const means = 'An attacker who guesses it can sign events, and so create credits.'
    return [warning('webhook secrets', { text: `${name} is short`, means, repair })]
  }
  return []
}

function shapelessSecret(name: string, fault: string, repair: string): Finding {
  const means = 'No event is believed, so payments are noticed minutes late, and memberships hours late.'
  return problem('webhook secrets', { text: `${name} ${fault}`, means, repair })
}
