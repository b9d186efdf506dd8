import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { EnvironmentError, processEnvironment, sandboxSecrets } from '../schema/env.ts'
import { clerkSandboxVariables, stripeSandboxVariables } from './sandbox-environment.ts'

const production = {
  NODE_ENV: 'production',
  APP_URL: 'https://app.example.com',
  DATABASE_URL: 'postgres://user:secret@db.example.com/app',
  STRIPE_SECRET_KEY: `sk_live_${'1'.repeat(90)}`,
  STRIPE_WEBHOOK_SECRET: `whsec_${'1'.repeat(32)}`,
  CLERK_SECRET_KEY: `sk_live_${'2'.repeat(42)}`,
  CLERK_PUBLISHABLE_KEY: `pk_live_${'3'.repeat(24)}`,
  CLERK_WEBHOOK_SECRET: `whsec_${'2'.repeat(32)}`,
}
const own = { ...stripeSandboxVariables({ stripePort: 4242 }), ...clerkSandboxVariables({ clerkPort: 4243 }) }
const secrets = [
  'STRIPE_SECRET_KEY',
  'STRIPE_WEBHOOK_SECRET',
  'CLERK_SECRET_KEY',
  'CLERK_PUBLISHABLE_KEY',
  'CLERK_WEBHOOK_SECRET',
] as const

function problemsWith(changes: Record<string, string>): readonly string[] {
  try {
    processEnvironment({ ...production, ...changes })
  } catch (error) {
    if (error instanceof EnvironmentError) return error.problems
    throw error
  }
  return []
}

test.each(secrets)('the %s of the sandbox is refused in production', (name) => {
  expect(problemsWith({ [name]: own[name] })).toContain(`${name} is the sandbox's, which everybody can read.`)
})

test('a live Stripe key with the Clerk sandbox is refused in production', () => {
  const problems = problemsWith(clerkSandboxVariables({ clerkPort: 4243 }))
  expect(problems.map((problem) => problem.split(' ')[0])).toEqual([
    'CLERK_API_URL',
    'CLERK_PROXY_TARGET',
    'CLERK_SECRET_KEY',
    'CLERK_PUBLISHABLE_KEY',
    'CLERK_WEBHOOK_SECRET',
    'STRIPE_SECRET_KEY',
  ])
})

test.each(['stripe', 'clerk'])(
  'every secret that sandbox/%s has without being told another is known',
  (service) => {
    const settings = readFileSync(new URL(`../sandbox/${service}/settings.ts`, import.meta.url), 'utf8')
    const defaults = [...settings.matchAll(/'((?:whsec|sk_test)_[\w+/=]+)'/g)].map(([, secret]) => secret)
    expect(defaults.length).toBeGreaterThan(0)
    expect(sandboxSecrets).toEqual(expect.arrayContaining(defaults))
  },
)
