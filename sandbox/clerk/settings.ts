import { z } from 'zod'
import { portVariable, readVariables, urlOrNone } from '../kit/settings.ts'

/** Every setting of the sandbox. `null` switches a part off: no state file, no webhook receiver. */
export type Settings = {
  host: string
  port: number
  stateFile: string | null
  webhookUrl: string | null
  webhookSecret: string
  secretKey: string
  publishableKey: string
  /** The application's own origin, where the browser is. Claims and links fall back to it. */
  origin: string
  applicationName: string
  retryDelaysMs: number[]
}

const SECOND_MS = 1000
const MINUTE_MS = 60 * SECOND_MS

export const defaultSettings: Settings = {
  host: '127.0.0.1',
  port: 4243,
  stateFile: '.data/sandbox-clerk.json',
  webhookUrl: 'http://localhost:3000/api/clerk/webhook',
  webhookSecret: 'whsec_c2FuZGJveC1jbGVyay13ZWJob29rLXNlY3JldA==',
  secretKey: 'sk_test_sandbox',
  publishableKey: `pk_live_${btoa('clerk.local.test$')}`,
  origin: 'http://localhost:3000',
  applicationName: 'Tidemark',
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

const variables = {
  SANDBOX_CLERK_HOST: z.string().min(1).default(defaultSettings.host),
  SANDBOX_CLERK_PORT: portVariable(defaultSettings.port),
  SANDBOX_CLERK_STATE_FILE: z.string().min(1).default('.data/sandbox-clerk.json'),
  SANDBOX_CLERK_WEBHOOK_URL: urlOrNone('http://localhost:3000/api/clerk/webhook'),
  SANDBOX_CLERK_WEBHOOK_SECRET: z
    .string()
    .regex(/^whsec_[A-Za-z0-9+/]+=*$/, 'must be whsec_ followed by base64')
    .default(defaultSettings.webhookSecret),
  SANDBOX_CLERK_SECRET_KEY: z.string().min(1).default(defaultSettings.secretKey),
  SANDBOX_CLERK_PUBLISHABLE_KEY: z.string().startsWith('pk_').default(defaultSettings.publishableKey),
  SANDBOX_CLERK_ORIGIN: httpUrl.default(defaultSettings.origin),
  SANDBOX_CLERK_APPLICATION_NAME: z.string().min(1).default(defaultSettings.applicationName),
}

export function readSettings(environment: Record<string, string | undefined>): Settings {
  const found = readVariables('clerk', variables, environment)
  return {
    ...defaultSettings,
    host: found.SANDBOX_CLERK_HOST,
    port: found.SANDBOX_CLERK_PORT,
    stateFile: found.SANDBOX_CLERK_STATE_FILE,
    webhookUrl: found.SANDBOX_CLERK_WEBHOOK_URL,
    webhookSecret: found.SANDBOX_CLERK_WEBHOOK_SECRET,
    secretKey: found.SANDBOX_CLERK_SECRET_KEY,
    publishableKey: found.SANDBOX_CLERK_PUBLISHABLE_KEY,
    origin: new URL(found.SANDBOX_CLERK_ORIGIN).origin,
    applicationName: found.SANDBOX_CLERK_APPLICATION_NAME,
  }
}
