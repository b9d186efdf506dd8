import { Webhook } from 'svix'
import { listOf } from '../../schema/env.ts'
import type { Configuration } from './configuration.ts'
import { type Finding, ok, problem, warning } from './finding.ts'

type Mode = 'test' | 'live'

/** Whether the keys are of the right shape, and all of the same mode. Makes no call. */
export function examineKeys({ env, sandbox }: Configuration): Finding[] {
  const findings: Finding[] = []
  const stripe = modeOf(/^(?:sk|rk)_(test|live)_\w+$/, env.STRIPE_SECRET_KEY)
  const clerk = modeOf(/^sk_(test|live)_\w+$/, env.CLERK_SECRET_KEY)
  const browser = modeOf(/^pk_(test|live)_[\w+/=]+$/, env.CLERK_PUBLISHABLE_KEY)
  if (!sandbox.stripe) {
    findings.push(
      stripe ? ok('Stripe key', `${stripe} mode`) : wrongShape('STRIPE_SECRET_KEY', 'sk_test_… or sk_live_…'),
    )
    findings.push(...webhookSecrets('STRIPE_WEBHOOK_SECRET', env.STRIPE_WEBHOOK_SECRET))
  }
  if (!sandbox.clerk) {
    if (!clerk) findings.push(wrongShape('CLERK_SECRET_KEY', 'sk_test_… or sk_live_…'))
    if (!browser) findings.push(wrongShape('CLERK_PUBLISHABLE_KEY', 'pk_test_… or pk_live_…'))
    if (clerk && browser)
      findings.push(clerk === browser ? ok('Clerk keys', `${clerk} mode`) : clerkModes(clerk, browser))
    findings.push(...webhookSecrets('CLERK_WEBHOOK_SECRET', env.CLERK_WEBHOOK_SECRET))
  }
  if (!sandbox.stripe && !sandbox.clerk && stripe && clerk && stripe !== clerk)
    findings.push(mixedModes(stripe, clerk))
  return findings.length > 0 ? findings : [ok('keys', 'none: both services are sandboxes')]
}

function modeOf(shape: RegExp, key: string): Mode | undefined {
  return shape.exec(key)?.[1] as Mode | undefined
}

function wrongShape(name: string, shape: string): Finding {
  return problem('keys', {
    text: `${name} is not of the form ${shape}`,
    means: 'Every call with it is refused.',
    repair: 'Copy it once more from the dashboard, whole and without quotes.',
  })
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
