import { z } from 'zod'
import {
  portSetting,
  settingsReader,
  textSetting,
  unlessEmpty,
  urlOrNone,
  urlSetting,
} from '../kit/settings.ts'

const offByDefault = unlessEmpty(z.enum(['on', 'off']).default('off')).transform((value) => value === 'on')

const readVariables = settingsReader('clerk', {
  host: textSetting('127.0.0.1'),
  port: portSetting(4243),
  /** A test that keeps everything in memory says null. */
  stateFile: textSetting('.data/sandbox-clerk.db') as z.ZodType<string | null>,
  /** Null: events are kept and not sent. */
  webhookUrl: urlOrNone('http://localhost:3000/api/clerk/webhook'),
  /** The clock of another sandbox; null for the real time. */
  clockUrl: urlOrNone(''),
  webhookSecret: unlessEmpty(
    z
      .string()
      .regex(/^whsec_[A-Za-z0-9+/]+=*$/, 'must be whsec_ followed by base64')
      .default('whsec_c2FuZGJveC1jbGVyay13ZWJob29rLXNlY3JldA=='),
  ),
  secretKey: textSetting('sk_test_sandbox'),
  publishableKey: unlessEmpty(
    z
      .string()
      .startsWith('pk_')
      .default(`pk_live_${btoa('clerk.local.test$')}`),
  ),
  /** The application's own origin, where the browser is. Claims and links fall back to it. */
  origin: urlSetting('http://localhost:3000').transform((url) => new URL(url).origin),
  /** Shown by the components. */
  applicationName: textSetting('Tidemark'),
  // Clerk's own defaults: https://clerk.com/docs/guides/organizations/configure (read on 2026-11-22) says
  // "Organizations are disabled by default", "Personal accounts disabled (default)" and "a maximum of 5
  // members by default".
  organizations: offByDefault,
  personalAccounts: offByDefault,
  membershipLimit: unlessEmpty(z.coerce.number().int().min(0).default(5)),
})

/** What the owner of an instance switches in Clerk's dashboard. */
export type Instance = {
  organizations_enabled: boolean
  /** Without them a session is not active before its user has chosen an organization. */
  personal_accounts_allowed: boolean
  /** Default limit of people in an organization. 0 is no limit. */
  max_allowed_memberships: number
  /** The cap of people of Clerk's own plan for the application, where it has one. */
  plan_cap?: number | null
}

const SECOND_MS = 1000
const MINUTE_MS = 60 * SECOND_MS
// Like the real sender's schedule, but shorter, so that people who watch a sandbox do not wait for hours.
const retryDelaysMs = [
  ...[1, 5, 15].map((seconds) => seconds * SECOND_MS),
  ...[1, 5, 15, 60, 240].map((minutes) => minutes * MINUTE_MS),
]

export function readSettings(environment: Record<string, string | undefined>) {
  const { organizations, personalAccounts, membershipLimit, ...settings } = readVariables(environment)
  /** The initial settings of the instance; a knob changes them. */
  const instance: Instance = {
    organizations_enabled: organizations,
    personal_accounts_allowed: personalAccounts,
    max_allowed_memberships: membershipLimit,
  }
  return { ...settings, instance, retryDelaysMs }
}

export type Settings = ReturnType<typeof readSettings>

export const defaultSettings = readSettings({})
