import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { EnvironmentError, environmentSchema, parseEnvironment, processEnvironment } from './env.ts'

const complete = {
  NODE_ENV: 'production',
  APP_URL: 'https://app.example.com',
  DATABASE_URL: 'postgres://user:secret@db.example.com/app',
  STRIPE_SECRET_KEY: 'sk_live_1',
  STRIPE_WEBHOOK_SECRET: 'whsec_1',
  CLERK_SECRET_KEY: 'sk_live_2',
  CLERK_PUBLISHABLE_KEY: 'pk_live_3',
  CLERK_WEBHOOK_SECRET: 'whsec_2',
}

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

  test('lists every variable of the schema, in its order', () => {
    expect(entries.map(([name]) => name)).toEqual(Object.keys(environmentSchema.shape))
  })

  test('shows the defaults, so that copying it changes nothing', () => {
    expect(parseEnvironment(Object.fromEntries(entries))).toEqual(parseEnvironment({}))
  })

  test('shows a value wherever there is a default', () => {
    const defaults = parseEnvironment({}) as Record<string, unknown>
    for (const [name, value] of entries) expect(value, name).toBe(String(defaults[name] ?? ''))
  })

  test('explains each variable right above it', () => {
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
      processEnvironment({ ...complete, STRIPE_API_BASE: 'http://localhost:4242' }),
    )
    expect(problems).toEqual(['STRIPE_API_BASE is for the sandbox and must not be set in production.'])
  })
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

test('a value that makes no sense is named with its variable', () => {
  const problems = problemsOf(() => parseEnvironment({ PORT: 'often', DATABASE_URL: 'not an address' }))
  expect(problems.map((problem) => problem.split(':')[0])).toEqual(['PORT', 'DATABASE_URL'])
})
