import type { Router } from '@koa/router'
import { z } from 'zod'
import { defined } from '../kit/defined.ts'
import type { Fault } from '../kit/http.ts'
import { findUserByEmailAddress } from './entities/email-address.ts'
import { findMembership } from './entities/membership.ts'
import { findOrganization } from './entities/organization.ts'
import { hashPassword } from './entities/password.ts'
import { activeSessionsOf, createClient, createSession, updateSession } from './entities/session.ts'
import { signingKey } from './entities/signing-key.ts'
import { createUser } from './entities/user.ts'
import { notFound } from './errors.ts'
import { activityOf } from './routes/frontend/browser.ts'
import { listPeople, seed } from './seed.ts'
import type { Service } from './service.ts'
import type { WebhookEvent } from './state.ts'
import { emailField, nameField, newestFirst, passwordField, readForm } from './wire/form.ts'
import { mintSessionToken } from './wire/session.ts'
import { backendUser } from './wire/user.ts'

const userForm = z.object({
  email: emailField,
  password: passwordField.optional(),
  first_name: nameField.optional(),
  last_name: nameField.optional(),
  /** Becomes `public_metadata.role`. */
  role: z.string().max(64).optional(),
})
const tokenForm = z
  .object({
    user_id: z.string().max(64).optional(),
    email: emailField.optional(),
    organization_id: z.string().max(64).optional(),
    expires_in_s: z.number().int().optional(),
    /** Of all sessions of the user, as if they had signed in so long ago. */
    factor_age_min: z.number().int().min(0).default(0),
    azp: z.string().max(256).optional(),
  })
  .refine((form) => form.user_id || form.email, { path: ['user_id'] })

/** Shortcuts for tests that need a signed-in user but no browser. */
export function peopleKnobs(router: Router, service: Service): void {
  router.post('/_sandbox/users', async (ctx) => {
    const { email, password, role, ...names } = readForm(ctx, userForm)
    const user = createUser(service, {
      ...names,
      email_addresses: [email],
      password_hash: password === undefined ? null : await hashPassword(password),
      public_metadata: role ? { role } : {},
    })
    ctx.status = 201
    ctx.body = backendUser(user)
  })

  router.post('/_sandbox/tokens', async (ctx) => {
    const form = readForm(ctx, tokenForm)
    const user = form.user_id
      ? service.store.users.get(form.user_id)
      : findUserByEmailAddress(service, form.email ?? '')
    if (!user) throw notFound('User')
    const { client } = createClient(service)
    let session = createSession(service, { client, user, activity: activityOf(ctx), strategy: 'ticket' })
    if (form.organization_id) {
      const organization = findOrganization(service, form.organization_id)
      const isMember =
        organization && findMembership(service, { organizationId: organization.id, userId: user.id })
      if (!isMember) throw notFound('Organization membership')
      session = updateSession(service, session, { last_active_organization_id: organization.id })
    }
    if (form.factor_age_min > 0) {
      const first_factor_at = Date.now() - form.factor_age_min * 60_000
      for (const one of activeSessionsOf(service, user)) updateSession(service, one, { first_factor_at })
      session = { ...session, first_factor_at }
    }
    const jwt = await mintSessionToken(service, session, {
      azp: form.azp ?? service.settings.origin,
      ...(form.expires_in_s === undefined ? {} : { expiresInS: form.expires_in_s }),
    })
    ctx.status = 201
    ctx.body = { jwt, session_id: session.id, user_id: user.id }
  })

  router.get('/_sandbox/mails', (ctx) => {
    const to = typeof ctx.query.to === 'string' ? ctx.query.to.toLowerCase() : null
    ctx.body = { data: newestFirst(service.store.mails.filter((row) => to === null || row.to === to)) }
  })
}

const LATE_DEFAULT_MS = 10_000
const modeForm = z.discriminatedUnion('mode', [
  z.object({ mode: z.enum(['normal', 'never', 'twice']) }),
  z.object({ mode: z.literal('late'), delay_ms: z.number().int().min(0).default(LATE_DEFAULT_MS) }),
])

/** Controls how events are delivered to the application. */
export function deliveryKnobs(router: Router, service: Service): void {
  const { store, outbox, deliveryRule } = service
  router.post('/_sandbox/deliveries', (ctx) => {
    const form = readForm(ctx, modeForm)
    deliveryRule.current = {
      mode: form.mode,
      copies: form.mode === 'twice' ? 2 : 1,
      delay_ms: form.mode === 'late' ? form.delay_ms : 0,
      types: null,
    }
    ctx.body = form
  })

  router.get('/_sandbox/events', (ctx) => {
    const { type } = ctx.query
    const found = store.events.filter((row) => typeof type !== 'string' || row.type === type)
    ctx.body = { data: found.map((row) => eventWithDelivery(service, row)) }
  })

  router.post('/_sandbox/events/:id/deliver', async (ctx) => {
    const event = store.events.get(ctx.params.id)
    if (!event) throw notFound('Event')
    await outbox.sendNow(event)
    ctx.body = eventWithDelivery(service, event)
  })
}

/** From the least advanced state of a delivery to the most; `failed` is Clerk's word for an abandoned one. */
const statuses = { pending: 'pending', withheld: 'withheld', abandoned: 'failed' } as const

/** An event, with the status of its least advanced delivery. */
function eventWithDelivery({ outbox }: Service, event: WebhookEvent) {
  const states = outbox.deliveriesOf(event.id).map(({ state }): string => state)
  const found = Object.entries(statuses).find(([state]) => states.includes(state))
  return { ...event, status: found?.[1] ?? 'delivered' }
}

const faultForm = z.object({
  status: z.number().int().min(400).max(599),
  count: z.number().int().min(1).max(10_000).default(1),
  path_prefix: z.string().startsWith('/').default('/bapi/'),
  method: z.enum(['GET', 'POST', 'PATCH', 'DELETE']).nullable().default(null),
  retry_after_s: z.number().int().min(0).nullable().default(null),
})

const instanceForm = z.strictObject({
  organizations_enabled: z.boolean().optional(),
  personal_accounts_allowed: z.boolean().optional(),
  max_allowed_memberships: z.number().int().min(0).optional(),
  plan_cap: z.number().int().min(1).nullable().optional(),
})

/** Faults, the settings of the instance, and resetting the state. */
export function sandboxKnobs(router: Router, service: Service): void {
  const { store, faults, outbox, settings } = service
  router.get('/_sandbox', (ctx) => {
    ctx.body = { faults: faults.list(), people: listPeople(service) }
  })

  router.post('/_sandbox/faults', (ctx) => {
    const fault: Fault = readForm(ctx, faultForm)
    faults.add(fault)
    ctx.status = 201
    ctx.body = fault
  })

  router.delete('/_sandbox/faults', (ctx) => {
    faults.clear()
    ctx.body = { data: [] }
  })

  // What the dashboard does.
  router.post('/_sandbox/instance', (ctx) => {
    ctx.body = Object.assign(service.instance, defined(readForm(ctx, instanceForm)))
  })

  // Back to the first start. The signing key stays, for verifiers hold its public half.
  router.post('/_sandbox/reset', async (ctx) => {
    const key = signingKey(service)
    faults.clear()
    service.deliveryRule.current = null
    Object.assign(service.instance, settings.instance)
    for (const quota of Object.values(service.quotas)) quota.reset()
    store.clear()
    store.signing_keys.put(key)
    if (settings.webhookUrl) outbox.resume()
    await seed(service)
    ctx.body = {
      users: [...store.users.oldestFirst()].map((row) => row.id),
      organizations: [...store.organizations.oldestFirst()].map((row) => row.id),
    }
  })
}
