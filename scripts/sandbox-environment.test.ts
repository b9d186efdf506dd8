import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { EnvironmentError, processEnvironment, sandboxSecrets } from '../schema/env.ts'
import { productionEnvironment } from '../tests/support/factories/production-environment.ts'
import { clerkSandboxVariables, stripeSandboxVariables } from './sandbox-environment.ts'

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
    processEnvironment({ ...productionEnvironment, ...changes })
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
