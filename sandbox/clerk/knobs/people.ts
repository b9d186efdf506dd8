import type { Router } from '@koa/router'
import { z } from 'zod'
import { findUserByEmailAddress } from '../entities/email-address.ts'
import { findMembership } from '../entities/membership.ts'
import { findOrganization } from '../entities/organization.ts'
import { hashPassword } from '../entities/password.ts'
import { createClient, createSession, updateSession } from '../entities/session.ts'
import { createUser } from '../entities/user.ts'
import { notFound } from '../errors.ts'
import { activityOf } from '../routes/frontend/browser.ts'
import type { Service } from '../service.ts'
import { emailField, nameField, newestFirst, passwordField, readForm } from '../wire/form.ts'
import { mintSessionToken } from '../wire/session-token.ts'
import { backendUser } from '../wire/user.ts'

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
    azp: z.string().max(256).optional(),
  })
  .refine((form) => form.user_id || form.email, { path: ['user_id'] })

/** Shortcuts for tests that need a signed-in user but no browser. */
export function peopleKnobs(router: Router, service: Service): void {
  router.post('/_sandbox/users', async (ctx) => {
    const form = readForm(ctx, userForm)
    const user = createUser(service, {
      emailAddresses: [form.email],
      passwordHash: form.password === undefined ? null : await hashPassword(form.password),
      firstName: form.first_name,
      lastName: form.last_name,
      publicMetadata: form.role ? { role: form.role } : {},
    })
    ctx.status = 201
    ctx.body = backendUser(service, user)
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
