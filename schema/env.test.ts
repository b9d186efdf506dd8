import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { productionEnvironment as complete } from '../tests/support/factories/production-environment.ts'
import {
  EnvironmentError,
  environmentSchema,
  parseEnvironment,
  processEnvironment,
  sandboxSecrets,
} from './env.ts'

function problemsOf(work: () => unknown): readonly string[] {
  try {
    work()
  } catch (error) {
    if (error instanceof EnvironmentError) return error.problems
    throw error
  }
  return []
}

describe('.env.example', () => {
  const example = readFileSync(new URL('../.env.example', import.meta.url), 'utf8')
  const assignments = example.split('\n').filter((line) => /^[A-Z]/.test(line))
  const entries = assignments.map((line) => line.split('=') as [string, string])

  test('.env.example lists every variable of the schema, in its order', () => {
    expect(entries.map(([name]) => name)).toEqual(Object.keys(environmentSchema.shape))
  })

  test('.env.example shows the defaults, so that copying it changes nothing', () => {
    expect(parseEnvironment(Object.fromEntries(entries))).toEqual(parseEnvironment({}))
  })

  test('.env.example shows a value wherever there is a default', () => {
    const defaults = parseEnvironment({}) as Record<string, unknown>
    for (const [name, value] of entries) expect(value, name).toBe(String(defaults[name] ?? ''))
  })

  test('.env.example explains each variable right above it', () => {
    const lines = example.split('\n')
    for (const line of assignments) expect(lines[lines.indexOf(line) - 1], line).toMatch(/^# ./)
  })
})

describe('in production', () => {
  test('a complete environment is taken', () => {
    expect(processEnvironment(complete)).toMatchObject(complete)
  })

  test('everything that is missing is listed at once', () => {
    const names = Object.keys(complete).filter((name) => name !== 'NODE_ENV')
    const problems = problemsOf(() => processEnvironment({ NODE_ENV: 'production' }))
    expect(problems.map((problem) => problem.split(' ')[0])).toEqual(names)
  })

  test('nothing may point at a sandbox', () => {
    const problems = problemsOf(() =>
      processEnvironment({
        ...complete,
        STRIPE_API_BASE: 'http://localhost:4242',
        SAMPLE_EDITOR_URL: 'http://localhost:4244',
        SAMPLE_GATEWAY_URL: 'http://localhost:4245',
      }),
    )
    expect(problems).toEqual([
      'STRIPE_API_BASE is for the sandbox and must not be set in production.',
      'SAMPLE_EDITOR_URL is for the sandbox and must not be set in production.',
      'SAMPLE_GATEWAY_URL is for the sandbox and must not be set in production.',
    ])
  })
})

describe('REDIS_URL', () => {
  test.each(['redis://localhost:6379/3', 'rediss://user:secret@cache.example.com'])(
    'REDIS_URL may be %s',
    (REDIS_URL) => {
      expect(parseEnvironment({ REDIS_URL })).toMatchObject({ REDIS_URL })
    },
  )

  test.each(['localhost:6379', 'http://localhost', 'redis://a:7000,redis://b:7001', ','])(
    'REDIS_URL may not be %s',
    (REDIS_URL) => {
      expect(problemsOf(() => parseEnvironment({ REDIS_URL }))).toEqual([
        expect.stringMatching(/^REDIS_URL: must be/),
      ])
    },
  )
})

describe('an empty value is the same as none', () => {
  const names = Object.keys(environmentSchema.shape)

  test.each(names)('%s', (name) => {
    for (const empty of ['', ' ']) {
      expect(parseEnvironment({ [name]: empty })).toEqual(parseEnvironment({}))
      expect(problemsOf(() => processEnvironment({ ...complete, [name]: empty }))).toEqual(
        problemsOf(() => processEnvironment({ ...complete, [name]: undefined })),
      )
    }
  })
})

describe('what would let strangers in', () => {
  const problemsWith = (changes: Record<string, string>) =>
    problemsOf(() => processEnvironment({ ...complete, ...changes }))
  const first = (problems: readonly string[]) => problems.map((problem) => problem.split(' ')[0])

  test.each([
    ['the application over plain http', { APP_URL: 'http://app.example.com' }, ['APP_URL']],
    ['an application with a user', { APP_URL: 'https://app.example.com@evil.example' }, ['APP_URL']],
    ['an application below a path', { APP_URL: 'https://example.com/app' }, ['APP_URL']],
    ['an application with a question', { APP_URL: 'https://example.com/?' }, ['APP_URL']],
    ['a script as the terms', { TERMS_URL: 'javascript:alert(1)' }, ['TERMS_URL']],
    ['a document in the address', { BRAND_IMPRINT_URL: 'data:text/html,x' }, ['BRAND_IMPRINT_URL']],
    ['a page over plain http', { BRAND_DOCS_URL: 'http://docs.example.com' }, ['BRAND_DOCS_URL']],
    ['traces to a file', { OTEL_EXPORTER_OTLP_ENDPOINT: 'file:///traces' }, ['OTEL_EXPORTER_OTLP_ENDPOINT:']],
    [
      'a webhook secret that can be guessed',
      { STRIPE_WEBHOOK_SECRET: 'whsec_short' },
      ['STRIPE_WEBHOOK_SECRET'],
    ],
    ['another one', { CLERK_WEBHOOK_SECRET: 'whsec_short' }, ['CLERK_WEBHOOK_SECRET']],
    [
      'one that can be guessed beside one that cannot',
      { STRIPE_WEBHOOK_SECRET: `whsec_${'1'.repeat(32)}, whsec_short` },
      ['STRIPE_WEBHOOK_SECRET'],
    ],
    [
      "the sandbox's beside one that is secret",
      { CLERK_WEBHOOK_SECRET: `whsec_${'1'.repeat(32)},whsec_dGlkZW1hcmstY2xlcmstc2FuZGJveC1zZWNyZXQ=` },
      ['CLERK_WEBHOOK_SECRET'],
    ],
    [
      'an empty place in a list of them',
      { CLERK_WEBHOOK_SECRET: `whsec_${'1'.repeat(32)},` },
      ['CLERK_WEBHOOK_SECRET'],
    ],
    ['keys that can be guessed', { STRIPE_SECRET_KEY: 'sk_live_1' }, ['STRIPE_SECRET_KEY']],
    [
      'a live Stripe key with a test instance of Clerk',
      { CLERK_SECRET_KEY: `sk_test_${'2'.repeat(42)}` },
      ['STRIPE_SECRET_KEY'],
    ],
    [
      'a restricted live key with it',
      { STRIPE_SECRET_KEY: `rk_live_${'1'.repeat(90)}`, CLERK_SECRET_KEY: `sk_test_${'2'.repeat(42)}` },
      ['STRIPE_SECRET_KEY'],
    ],
  ])('%s is refused in production', (_, changes, names) => {
    expect(first(problemsWith(changes))).toEqual(names)
  })

  test.each(['STRIPE_SECRET_KEY', 'CLERK_SECRET_KEY'] as const)(
    'a live %s is refused in development',
    (name) => {
      const { NODE_ENV: _production, ...rest } = complete
      const test = { ...rest, STRIPE_SECRET_KEY: 'sk_test_1', CLERK_SECRET_KEY: 'sk_test_2' }
      expect(problemsOf(() => processEnvironment(test))).toEqual([])
      expect(problemsOf(() => processEnvironment({ ...test, [name]: complete[name] }))).toEqual([
        `${name} is a live key: set NODE_ENV=production, or use a test key.`,
      ])
    },
  )

  test.each(['STRIPE', 'CLERK'] as const)(
    'the published webhook secret of the stand-in is refused beside real keys of %s, in development too',
    (vendor) => {
      const { NODE_ENV: _production, ...rest } = complete
      const test = { ...rest, STRIPE_SECRET_KEY: 'sk_test_1', CLERK_SECRET_KEY: 'sk_test_2' }
      const published = { [`${vendor}_WEBHOOK_SECRET`]: `whsec_own, ${sandboxSecrets[1]}` }
      expect(problemsOf(() => processEnvironment({ ...test, ...published }))).toEqual([
        `${vendor}_WEBHOOK_SECRET is the sandbox's, which everybody can read.`,
      ])
      const address = { STRIPE_API_BASE: 'http://localhost:1', CLERK_API_URL: 'http://localhost:2' }
      expect(problemsOf(() => processEnvironment({ ...test, ...published, ...address }))).toEqual([])
    },
  )

  test('an address with a port, a page and a mailbox are taken in production', () => {
    const changes = {
      APP_URL: 'HTTPS://App.example.com:8443/',
      TERMS_URL: 'https://example.com/terms?of=use',
      BRAND_COMMUNITY_URL: 'mailto:community@example.com',
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318',
    }
    expect(problemsWith(changes)).toEqual([])
  })

  test('test keys are taken in production, for a staging system', () => {
    const changes = {
      STRIPE_SECRET_KEY: `sk_test_${'1'.repeat(90)}`,
      CLERK_SECRET_KEY: `sk_test_${'2'.repeat(42)}`,
    }
    expect(problemsWith(changes)).toEqual([])
  })

  test.each(['everybody', '10.0.0.0/99', '1.2.3.4;5.6.7.8'])('%s is no proxy to trust', (TRUSTED_PROXIES) => {
    expect(first(problemsWith({ TRUSTED_PROXIES }))).toEqual(['TRUSTED_PROXIES:'])
  })
})

test('a value that makes no sense is named with its variable', () => {
  const problems = problemsOf(() => parseEnvironment({ PORT: 'often', DATABASE_URL: 'not an address' }))
  expect(problems.map((problem) => problem.split(':')[0])).toEqual(['PORT', 'DATABASE_URL'])
})

test('what is wrong and what is missing are listed together, and each variable once', () => {
  const problems = problemsOf(() =>
    processEnvironment({ ...complete, APP_URL: 'not an address', PORT: 'often', STRIPE_SECRET_KEY: '' }),
  )
  expect(problems.map((problem) => problem.split(/[: ]/)[0])).toEqual([
    'PORT',
    'APP_URL',
    'STRIPE_SECRET_KEY',
  ])
})
