import { listOf } from '../../schema/env.ts'
import type { Configuration } from './configuration.ts'
import { type Finding, ok, problem } from './finding.ts'

const secretShown = 'sk_test_… or sk_live_…'
const publishableShown = 'pk_test_… or pk_live_…, with the host of the Frontend API in it'
const webhook = { shown: 'whsec_…' }
const keys = [
  { vendor: 'stripe', name: 'STRIPE_SECRET_KEY', shown: secretShown, form: /^[rs]k_(test|live)_\w+$/ },
  // Stripe says nothing of the characters: https://docs.stripe.com/webhooks#verify-official-libraries
  { vendor: 'stripe', name: 'STRIPE_WEBHOOK_SECRET', ...webhook, form: /^whsec_\S{20,}$/ },
  { vendor: 'clerk', name: 'CLERK_SECRET_KEY', shown: secretShown, form: /^sk_(test|live)_\w+$/ },
  { vendor: 'clerk', name: 'CLERK_PUBLISHABLE_KEY', shown: publishableShown, form: /^pk_(test|live)_/ },
  // Base64: https://docs.svix.com/receiving/verifying-payloads/how-manual
  { vendor: 'clerk', name: 'CLERK_WEBHOOK_SECRET', ...webhook, form: /^whsec_[\w+/]{24,}={0,2}$/ },
] as const

/** Whether the keys are of the right form, and all of one mode. Makes no call. */
export function examineKeys({ env, sandbox }: Configuration): Finding[] {
  if (sandbox.stripe && sandbox.clerk) return [ok('keys', 'none: both services are sandboxes')]
  const findings: Finding[] = []
  const modes: string[] = []
  for (const { vendor, name, shown, form } of keys) {
    // One that is missing is a finding of the environment.
    const values = sandbox[vendor] ? [] : listOf(env[name])
    const modesOfKey = values.flatMap((value) => form.exec(value)?.[1] ?? [])
    modes.push(...modesOfKey.map((mode) => `${name} of ${mode} mode`))
    const isWhole = (value: string) => shown !== publishableShown || frontendHostOf(value) !== null
    if (values.every((value) => form.test(value) && isWhole(value))) continue
    findings.push(
      problem('keys', {
        text: `${name} is not of the form ${shown}`,
        means: 'No call with it is answered, and no event that it has to verify is believed.',
        repair: 'Copy it once more from the dashboard, whole and without quotes.',
      }),
    )
  }
  const text = modes.join(', ')
  if (text.includes('live mode') && text.includes('test mode')) {
    findings.push(
      problem('keys', {
        text: `they are of different modes: ${text}`,
        means:
          'People get credits for test cards, or pay real money from a test instance, or cannot sign in.',
        repair: 'Use the live keys of both services, or the test keys of both.',
      }),
    )
  }
  return findings.length > 0 ? findings : [ok('keys', text)]
}

/**
 * The host that a publishable key names: behind its prefix it is the base64 of that and a dollar sign
 * (https://clerk.com/docs/how-clerk-works/overview). Null when it is not of that form.
 */
export function frontendHostOf(publishableKey: string): string | null {
  const [, encoded = ''] = /^pk_(?:test|live)_([\w+/=-]+)$/.exec(publishableKey) ?? []
  return /^([a-z\d-]+(?:\.[a-z\d-]+)+)\$$/i.exec(Buffer.from(encoded, 'base64').toString())?.[1] ?? null
}
