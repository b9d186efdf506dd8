import proxyaddr from 'proxy-addr'
import { z } from 'zod'
import { loopbackNames } from './api/redirect-uri.ts'
import { type brandSchema, defaultBrand } from './catalogue/brand.ts'
import { defaultEditors, editorsOf } from './extension/editors.ts'
import type { ActLimits } from './support/acts.ts'
import { isLiveKey } from './vendors/stripe/mode.ts'

/** A list in one variable. */
export function listOf(value: string | undefined): string[] {
  return (value ?? '')
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '')
}

function areAddresses(value: string | undefined): boolean {
  try {
    proxyaddr.compile(listOf(value))
    return true
  } catch {
    return false
  }
}

function isRedisAddress(value: string): boolean {
  return /^rediss?:[^,]+$/.test(value) && URL.canParse(value)
}

const host = z.string().regex(/^[\w.:-]+$/, 'must be an address, without a port')
const milliseconds = z.coerce.number().int().min(1)
const whole = (least: number, most: number) => z.coerce.number().int().min(least).max(most)
const port = whole(0, 65_535)
const text = z.string().optional()
const address = z.url().optional()

/**
 * Every variable of the product, in the order of `.env.example`, which a test keeps equal to this list. The
 * sandbox has its own variables, documented beside it, because it replaces services of other companies.
 */
export const environmentSchema = z.object({
  NODE_ENV: z
    .enum(['development', 'test', 'production'])
    .default('development')
    .describe('development, test or production'),
  LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'])
    .default('info')
    .describe('How much is logged'),
  PORT: port.default(3000).describe('Where the server listens'),
  HOST: host.default('127.0.0.1').describe('Address on which the server listens; 0.0.0.0 for every network'),
  TRUSTED_PROXIES: text
    .refine(areAddresses, 'must be addresses or networks such as 10.0.0.0/8, separated by commas')
    .describe('Proxies whose X-Forwarded-For is believed; without it the connection’s own address counts'),
  EXTRA_HOSTS: text.describe(
    'Other hosts than that of APP_URL that the server answers for, e.g. www.example.com',
  ),
  METRICS_PORT: port
    .default(0)
    .describe('Where server and worker serve /metrics and health in detail; 0 takes any free port'),
  METRICS_HOST: host
    .default('127.0.0.1')
    .describe('Address on which they do; it must not be reached from outside'),
  APP_URL: address.describe('The address people use; defaults to http://localhost:PORT'),
  DATABASE_URL: address.describe(
    'Postgres 15 or newer; without it a Postgres from the install runs in .data/',
  ),
  DATABASE_MIGRATION_URL: address.describe(
    'Owner of the tables, used by migrations only; defaults to DATABASE_URL',
  ),
  DATABASE_SERVER_URL: address.describe(
    "The server's own login, which npm run db:migrate makes; the server has it as DATABASE_URL",
  ),
  DATABASE_WORKER_URL: address.describe("The same for the worker's own login"),
  DATABASE_POOL_MAX: whole(2, 200).default(10).describe('Connections a process may hold'),
  REDIS_URL: text
    .refine((value) => value === undefined || isRedisAddress(value), 'must be redis://… or rediss://…')
    .describe('Queues on Redis; without it BullMQ uses the same Postgres'),
  STRIPE_SECRET_KEY: text.describe('Secret key; without it the Stripe sandbox is started'),
  STRIPE_WEBHOOK_SECRET: text.describe(
    'Signing secret of the webhook endpoint /api/stripe/webhook; several, separated by commas, while it is replaced',
  ),
  STRIPE_API_BASE: address.describe('Another address of the Stripe API; only for the sandbox'),
  STRIPE_CALLS_PER_SECOND: whole(2, 10_000)
    .default(20)
    .describe('Calls to Stripe a second, of all processes together'),
  STRIPE_TAX: z
    .enum(['on', 'off'])
    .default('off')
    .describe('Whether Stripe Tax works out the tax that is inside our prices: on or off'),
  TERMS_URL: address.describe(
    'Terms of service, to which buyers agree on the payment page; without it they are not asked',
  ),
  CLERK_SECRET_KEY: text.describe('Secret key; without it the Clerk sandbox is started'),
  CLERK_PUBLISHABLE_KEY: text.describe('Publishable key for the browser'),
  CLERK_WEBHOOK_SECRET: text.describe(
    'Signing secret of the webhook endpoint /api/clerk/webhook; several, separated by commas, while it is replaced',
  ),
  CLERK_API_URL: address.describe('Another address of the Clerk backend API; only for the sandbox'),
  CLERK_PROXY_TARGET: address.describe('Where /__clerk is proxied to; only for the sandbox'),
  SAMPLE_EDITOR_URL: address.describe('The sample editor; only for the sandbox'),
  SAMPLE_GATEWAY_URL: address.describe('The sample gateway; only for the sandbox'),
  REHEARSAL_VENDORS: z
    .enum(['stand-ins'])
    .optional()
    .describe('stand-ins: production with the stand-ins of this machine, set by npm start -- --production'),
  JOB_LOCK_MS: milliseconds
    .default(10_000)
    .describe('How long a job stays locked by a worker that has stopped responding'),
  JOB_STALLED_MS: milliseconds.default(5_000).describe('How often workers check for such jobs'),
  CLAIM_EVERY_MS: milliseconds
    .default(15_000)
    .describe('How often the worker claims events and intents that are not settled'),
  CLAIM_AFTER_MS: milliseconds
    .default(30_000)
    .describe('How old they must be before they are enqueued again'),
  SUPPORT_ADJUSTMENT_LIMIT: whole(0, 10_000_000)
    .default(5000)
    .describe('Credits that one support person may give or take within a day without a second person'),
  SUPPORT_ADJUSTMENT_TOTAL: whole(0, 100_000_000)
    .default(50_000)
    .describe(
      'The same for all of them together; with a second person the most at once, and four times that a day',
    ),
  SUPPORT_REFUND_LIMIT: whole(0, 100_000)
    .default(100)
    .describe(
      'Money that one support person may refund within a day without a second person, in euros or the payment’s currency',
    ),
  SUPPORT_REFUND_TOTAL: whole(0, 1_000_000)
    .default(1000)
    .describe(
      'The same for all of them together; with a second person the most at once, and four times that a day',
    ),
  EXTENSION_IDS: z
    .string()
    .regex(/^[\w-]+\.[\w-]+(\s*,\s*[\w-]+\.[\w-]+)*$/, 'must be publisher.extension, separated by commas')
    .default('tidemark.tidemark')
    .describe('Our extensions, publisher.extension: an editor’s sign-in ends at no others'),
  EDITORS: z
    .string()
    .default(defaultEditors)
    .refine(
      (value) => editorsOf(value) !== null,
      'must be scheme:Name or host:Name, separated by commas, without schemes of browsers such as https',
    )
    .describe('Editors that may be signed in through the browser, with their names'),
  SIGN_IN_SECRET: text.describe(
    'Signs what an editor’s sign-in began with, any 32 random bytes; several, separated by commas, while it is replaced; without it each server makes one',
  ),
  SMTP_URL: z
    .url({ protocol: /^smtps?$/ })
    .optional()
    .describe('Mail server for news to customers; without it production sends none'),
  METERED_BY: z
    .enum(['gateway', 'editor'])
    .default('gateway')
    .describe(
      'Who reports usage: gateway, with an operator key, so that an editor’s token only reads; or editors themselves',
    ),
  DRAIN_DELAY_MS: whole(0, 120_000)
    .default(0)
    .describe('How long a server that is told to stop is not ready and still answers, in milliseconds'),
  OTEL_EXPORTER_OTLP_ENDPOINT: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe('OpenTelemetry collector (OTLP over HTTP) for traces; without it none are made'),
  OTEL_TRACES_SAMPLER_ARG: z.coerce
    .number()
    .min(0)
    .max(1)
    .default(1)
    .describe('Share of the traces that are collected, 0 to 1'),
  BRAND_NAME: text.describe('Name of the product'),
  BRAND_SUPPORT_EMAIL: z.email().optional().describe('Where customers write to'),
  BRAND_DOCS_URL: address.describe('Documentation site; without it /docs'),
  BRAND_COMMUNITY_URL: address.describe('Community forum'),
  BRAND_MARKETPLACE_URL: address.describe('Extension in the editor marketplace'),
  BRAND_TERMS_URL: address.describe('Terms of service; without it TERMS_URL, and without that a sample page'),
  BRAND_PRIVACY_URL: address.describe('Privacy policy; without it a sample page'),
  BRAND_REFUNDS_URL: address.describe('Refund policy; without it a sample page'),
  BRAND_IMPRINT_URL: address.describe('Imprint; without it a sample page'),
})
export type Environment = z.infer<typeof environmentSchema>

/** What no process may run without in production, where nothing falls back to a stand-in. */
export const requiredNames = [
  'APP_URL',
  'DATABASE_URL',
  'STRIPE_SECRET_KEY',
  'STRIPE_WEBHOOK_SECRET',
  'CLERK_SECRET_KEY',
  'CLERK_PUBLISHABLE_KEY',
  'CLERK_WEBHOOK_SECRET',
] as const satisfies readonly (keyof Environment)[]

type RequiredName = (typeof requiredNames)[number]

/** The environment of a process that has all its external services; the launcher fills in the sandbox's. */
export type ProcessEnvironment = Omit<Environment, RequiredName> & Record<RequiredName, string>

/** What may be adjusted and refunded within a day without a second person: credits, and minor units. */
export function actLimitsOf(
  env: Pick<
    Environment,
    'SUPPORT_ADJUSTMENT_LIMIT' | 'SUPPORT_ADJUSTMENT_TOTAL' | 'SUPPORT_REFUND_LIMIT' | 'SUPPORT_REFUND_TOTAL'
  >,
): ActLimits {
  return {
    adjust: { asker: env.SUPPORT_ADJUSTMENT_LIMIT, total: env.SUPPORT_ADJUSTMENT_TOTAL },
    refund: { asker: env.SUPPORT_REFUND_LIMIT * 100, total: env.SUPPORT_REFUND_TOTAL * 100 },
  }
}

export class EnvironmentError extends Error {
  readonly problems: readonly string[]
  constructor(problems: readonly string[]) {
    super(`The environment is not complete:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`)
    this.name = 'EnvironmentError'
    this.problems = problems
  }
}

/**
 * Reads a raw environment, with defaults, and says what is wrong with it; a variable that is wrong counts as
 * a missing one. An empty value means the same as a missing one, for every variable: `CLAIM_AFTER_MS=` in an
 * `.env` file is not a wait of 0 ms.
 */
function readEnvironment(raw: Record<string, string | undefined>): {
  readonly environment: Environment
  readonly wrong: ReadonlyMap<string, string>
} {
  const given = Object.entries(raw).filter(([, value]) => value?.trim() !== '')
  const result = environmentSchema.safeParse(Object.fromEntries(given))
  if (result.success) return { environment: result.data, wrong: new Map() }
  const wrong = new Map(result.error.issues.map(({ path, message }) => [path.join('.'), message]))
  const usable = given.filter(([name]) => !wrong.has(name))
  return { environment: environmentSchema.parse(Object.fromEntries(usable)), wrong }
}

/** Reads a raw environment, with defaults; throws an EnvironmentError that lists everything that is wrong. */
export function parseEnvironment(raw: Record<string, string | undefined>): Environment {
  const { environment, wrong } = readEnvironment(raw)
  if (wrong.size > 0) throw new EnvironmentError(sentencesOf(wrong))
  return environment
}

function sentencesOf(wrong: ReadonlyMap<string, string>): string[] {
  return [...wrong].map(([name, message]) => `${name}: ${message}`)
}

/**
 * Reads the environment of the server or the worker. Both need every external service to be named: in
 * production by the operator, elsewhere by `npm start`, which names the sandbox's. Throws an EnvironmentError
 * that lists everything that is wrong or missing.
 */
export function processEnvironment(raw: Record<string, string | undefined>): ProcessEnvironment {
  const { environment, problems } = examineEnvironment(raw)
  if (problems.length > 0) throw new EnvironmentError(problems)
  return environment as ProcessEnvironment
}

/** The same without throwing, with what can be used of the environment all the same. */
export function examineEnvironment(raw: Record<string, string | undefined>): {
  readonly environment: Environment
  readonly problems: readonly string[]
} {
  const { environment, wrong } = readEnvironment(raw)
  const withDefaults = {
    ...environment,
    APP_URL:
      environment.APP_URL ??
      (environment.NODE_ENV === 'production' ? undefined : `http://localhost:${environment.PORT}`),
  }
  const problems = sentencesOf(wrong)
  const isMissing = (name: keyof Environment) => withDefaults[name] === undefined && !wrong.has(name)
  for (const name of requiredNames.filter(isMissing)) problems.push(`${name} is missing: ${whatItIs(name)}`)
  if (environment.NODE_ENV === 'production') {
    problems.push(...standInsInProduction(environment))
    if (isMissing('SIGN_IN_SECRET'))
      problems.push('SIGN_IN_SECRET is missing: Secret for the sign-ins of editors, the same for all servers')
    problems.push(...unsafeInProduction(environment))
  }
  problems.push(...liveKeysInDevelopment(environment), ...publishedSecrets(environment))
  return { environment: withDefaults, problems }
}

const standInNames = [
  'STRIPE_API_BASE',
  'CLERK_API_URL',
  'CLERK_PROXY_TARGET',
  'SAMPLE_EDITOR_URL',
  'SAMPLE_GATEWAY_URL',
] as const

/** Addresses of stand-ins: none in production but in a rehearsal, which has all of them on this machine. */
function standInsInProduction(environment: Environment): string[] {
  if (environment.REHEARSAL_VENDORS === undefined)
    return standInNames
      .filter((name) => environment[name] !== undefined)
      .map((name) => `${name} is for the sandbox and must not be set in production.`)
  // A rehearsal may be without the sample gateway.
  const expected = standInNames.filter(
    (name) => name !== 'SAMPLE_GATEWAY_URL' || environment[name] !== undefined,
  )
  const elsewhere = expected.filter((name) => !isLoopbackAddress(environment[name]))
  const live = (['STRIPE_SECRET_KEY', 'CLERK_SECRET_KEY'] as const).filter((name) =>
    isLive(environment[name]),
  )
  return [
    ...elsewhere.map((name) => `${name} must be an address of this machine in a rehearsal.`),
    ...live.map((name) => `${name} is a live key: take REHEARSAL_VENDORS out of the environment.`),
    ...(isLoopbackAddress(environment.APP_URL) ? [] : ['APP_URL must be on this machine in a rehearsal.']),
  ]
}

function isLoopbackAddress(url: string | undefined): boolean {
  return url !== undefined && loopbackNames.includes(new URL(url).hostname)
}

/** Live keys move real money and real accounts, beside stand-ins whose secrets everybody can read. */
export function liveKeysInDevelopment(environment: Environment): string[] {
  if (environment.NODE_ENV === 'production') return []
  return (['STRIPE_SECRET_KEY', 'CLERK_SECRET_KEY'] as const)
    .filter((name) => isLive(environment[name]))
    .map((name) => `${name} is a live key: set NODE_ENV=production, or use a test key.`)
}

/**
 * What a published repository knows is no secret: the stand-ins', here in the clear; a test keeps them equal
 * to theirs.
 */
export const sandboxSecrets: readonly string[] = [
  'sk_test_sandbox',
  'whsec_sandbox',
  'whsec_dGlkZW1hcmstY2xlcmstc2FuZGJveC1zZWNyZXQ=',
  'whsec_c2FuZGJveC1jbGVyay13ZWJob29rLXNlY3JldA==',
  'pk_live_Y2xlcmsubG9jYWwudGVzdCQ=',
]

/**
 * A webhook secret of a stand-in beside the real service: any caller could sign events with it. In production
 * that is refused for every secret.
 */
function publishedSecrets(environment: Environment): string[] {
  if (environment.NODE_ENV === 'production') return []
  return (['STRIPE', 'CLERK'] as const)
    .filter((vendor) => {
      const isReal = vendor === 'STRIPE' ? !environment.STRIPE_API_BASE : !environment.CLERK_API_URL
      return isReal && listOf(environment[`${vendor}_WEBHOOK_SECRET`]).some(isPublished)
    })
    .map((vendor) => `${vendor}_WEBHOOK_SECRET is the sandbox's, which everybody can read.`)
}

function isPublished(secret: string): boolean {
  return sandboxSecrets.includes(secret)
}

/** Stripe and Clerk make secrets of 38 characters and more; a shorter one can be guessed. */
const leastSecretLength = 30

/** What our pages link to. */
const linkNames = [
  'TERMS_URL',
  'BRAND_DOCS_URL',
  'BRAND_COMMUNITY_URL',
  'BRAND_MARKETPLACE_URL',
  'BRAND_TERMS_URL',
  'BRAND_PRIVACY_URL',
  'BRAND_REFUNDS_URL',
  'BRAND_IMPRINT_URL',
] as const

/** What would let strangers in, though nothing is missing. */
function unsafeInProduction(environment: Environment): string[] {
  const problems: string[] = []
  const { APP_URL, STRIPE_SECRET_KEY, CLERK_SECRET_KEY } = environment
  if (APP_URL !== undefined) {
    const { protocol, origin, href } = new URL(APP_URL)
    // Of a rehearsal without a proxy that has a certificate.
    const isPlainRehearsal = environment.REHEARSAL_VENDORS !== undefined && protocol === 'http:'
    if ((protocol !== 'https:' && !isPlainRehearsal) || href !== `${origin}/`)
      problems.push('APP_URL must be https:// and a host in production, without a user, a path or a query.')
  }
  for (const name of linkNames) {
    if (environment[name] !== undefined && !/^(https|mailto):/i.test(environment[name]))
      problems.push(`${name} must begin with https:// or mailto: in production.`)
  }
  const secrets = [
    'STRIPE_SECRET_KEY',
    'STRIPE_WEBHOOK_SECRET',
    'CLERK_SECRET_KEY',
    'CLERK_PUBLISHABLE_KEY',
    'CLERK_WEBHOOK_SECRET',
    'SIGN_IN_SECRET',
  ] as const
  for (const name of secrets) {
    const value = environment[name]
    if (value === undefined) continue
    // Each of several lets everything in that it signed.
    const isList = name.endsWith('_WEBHOOK_SECRET') || name === 'SIGN_IN_SECRET'
    const parts = isList ? value.split(',').map((part) => part.trim()) : [value]
    if (parts.some(isPublished)) {
      problems.push(`${name} is the sandbox's, which everybody can read.`)
    } else if (name !== 'CLERK_PUBLISHABLE_KEY' && parts.some((part) => part.length < leastSecretLength)) {
      problems.push(`${name} is too short to be a secret: at least ${leastSecretLength} characters.`)
    }
  }
  if (isLive(STRIPE_SECRET_KEY) && CLERK_SECRET_KEY !== undefined && !isLive(CLERK_SECRET_KEY)) {
    problems.push(
      'STRIPE_SECRET_KEY is live and CLERK_SECRET_KEY is not: any visitor can sign in to a test instance, or the sandbox, as any user.',
    )
  }
  return problems
}

function isLive(key: string | undefined): boolean {
  return key !== undefined && isLiveKey(key)
}

/** The description without what happens elsewhere when the variable is not set. */
function whatItIs(name: RequiredName): string | undefined {
  return environmentSchema.shape[name].description?.split(';')[0]
}

export function brandOf(environment: Environment): z.infer<typeof brandSchema> {
  return {
    name: environment.BRAND_NAME ?? defaultBrand.name,
    support_email: environment.BRAND_SUPPORT_EMAIL ?? defaultBrand.support_email,
    docs_url: environment.BRAND_DOCS_URL ?? defaultBrand.docs_url,
    community_url: environment.BRAND_COMMUNITY_URL ?? defaultBrand.community_url,
    marketplace_url: environment.BRAND_MARKETPLACE_URL ?? defaultBrand.marketplace_url,
    terms_url: environment.BRAND_TERMS_URL ?? environment.TERMS_URL ?? defaultBrand.terms_url,
    privacy_url: environment.BRAND_PRIVACY_URL ?? defaultBrand.privacy_url,
    refunds_url: environment.BRAND_REFUNDS_URL ?? defaultBrand.refunds_url,
    imprint_url: environment.BRAND_IMPRINT_URL ?? defaultBrand.imprint_url,
  }
}
