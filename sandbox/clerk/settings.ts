import { z } from 'zod'
import { portVariable, readVariables, urlOrNone } from '../kit/settings.ts'

/** Every setting of the sandbox. `null` switches a part off: no state file, no webhook receiver. */
export type Settings = {
  host: string
  port: number
  stateFile: string | null
  webhookUrl: string | null
  /** The clock of another sandbox; null for the real time. */
  clockUrl: string | null
  webhookSecret: string
  secretKey: string
  publishableKey: string
  /** The application's own origin, where the browser is. Claims and links fall back to it. */
  origin: string
  applicationName: string
  /** The initial settings of the instance; a knob changes them. */
  instance: Instance
  retryDelaysMs: number[]
}

/** What the owner of an instance switches in Clerk's dashboard. */
export type Instance = {
  organizations_enabled: boolean
  /** Without them a session is not active before its user has chosen an organization. */
  personal_accounts_allowed: boolean
  /** Default limit of people in an organization. 0 is no limit. */
  max_allowed_memberships: number
  /** Whether everyone needs a second factor: their sessions wait until there is one. */
  mfa_required?: boolean
  /** The cap of people of Clerk's own plan for the application, where it has one. */
  plan_cap?: number | null
}

const SECOND_MS = 1000
const MINUTE_MS = 60 * SECOND_MS

export const defaultSettings: Settings = {
  host: '127.0.0.1',
  port: 4243,
  stateFile: '.data/sandbox-clerk.db',
  webhookUrl: 'http://localhost:3000/api/clerk/webhook',
  clockUrl: null,
  webhookSecret: 'whsec_c2FuZGJveC1jbGVyay13ZWJob29rLXNlY3JldA==',
  secretKey: 'sk_test_sandbox',
  publishableKey: `pk_live_${btoa('clerk.local.test$')}`,
  origin: 'http://localhost:3000',
  applicationName: 'Tidemark',
  // Clerk's own defaults: https://clerk.com/docs/guides/organizations/configure (read on 2026-11-22) says
  // "Organizations are disabled by default", "Personal accounts disabled (default)" and "a maximum of 5
  // members by default".
  instance: { organizations_enabled: false, personal_accounts_allowed: false, max_allowed_memberships: 5 },
  // Like the real sender's schedule, but shorter, so that people who watch a sandbox do not wait for hours.
  retryDelaysMs: [
    1 * SECOND_MS,
    5 * SECOND_MS,
    15 * SECOND_MS,
    MINUTE_MS,
    5 * MINUTE_MS,
    15 * MINUTE_MS,
    60 * MINUTE_MS,
    240 * MINUTE_MS,
  ],
}

const httpUrl = z.url({ protocol: /^https?$/ })
const offByDefault = z
  .enum(['on', 'off'])
  .default('off')
  .transform((value) => value === 'on')

const variables = {
  SANDBOX_CLERK_HOST: z.string().min(1).default(defaultSettings.host),
  SANDBOX_CLERK_PORT: portVariable(defaultSettings.port),
  SANDBOX_CLERK_STATE_FILE: z.string().min(1).default('.data/sandbox-clerk.db'),
  SANDBOX_CLERK_WEBHOOK_URL: urlOrNone('http://localhost:3000/api/clerk/webhook'),
  SANDBOX_CLERK_CLOCK_URL: urlOrNone(''),
  SANDBOX_CLERK_WEBHOOK_SECRET: z
    .string()
    .regex(/^whsec_[A-Za-z0-9+/]+=*$/, 'must be whsec_ followed by base64')
    .default(defaultSettings.webhookSecret),
  SANDBOX_CLERK_SECRET_KEY: z.string().min(1).default(defaultSettings.secretKey),
  SANDBOX_CLERK_PUBLISHABLE_KEY: z.string().startsWith('pk_').default(defaultSettings.publishableKey),
  SANDBOX_CLERK_ORIGIN: httpUrl.default(defaultSettings.origin),
  SANDBOX_CLERK_APPLICATION_NAME: z.string().min(1).default(defaultSettings.applicationName),
  SANDBOX_CLERK_ORGANIZATIONS: offByDefault,
  SANDBOX_CLERK_PERSONAL_ACCOUNTS: offByDefault,
  SANDBOX_CLERK_MEMBERSHIP_LIMIT: z.coerce
    .number()
    .int()
    .min(0)
    .default(defaultSettings.instance.max_allowed_memberships),
}

export function readSettings(environment: Record<string, string | undefined>): Settings {
  const found = readVariables('clerk', variables, environment)
  return {
    ...defaultSettings,
    host: found.SANDBOX_CLERK_HOST,
    port: found.SANDBOX_CLERK_PORT,
    stateFile: found.SANDBOX_CLERK_STATE_FILE,
    webhookUrl: found.SANDBOX_CLERK_WEBHOOK_URL,
    clockUrl: found.SANDBOX_CLERK_CLOCK_URL,
    webhookSecret: found.SANDBOX_CLERK_WEBHOOK_SECRET,
    secretKey: found.SANDBOX_CLERK_SECRET_KEY,
    publishableKey: found.SANDBOX_CLERK_PUBLISHABLE_KEY,
    origin: new URL(found.SANDBOX_CLERK_ORIGIN).origin,
    applicationName: found.SANDBOX_CLERK_APPLICATION_NAME,
    instance: {
      organizations_enabled: found.SANDBOX_CLERK_ORGANIZATIONS,
      personal_accounts_allowed: found.SANDBOX_CLERK_PERSONAL_ACCOUNTS,
      max_allowed_memberships: found.SANDBOX_CLERK_MEMBERSHIP_LIMIT,
    },
  }
}
