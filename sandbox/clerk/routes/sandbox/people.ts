import { Router } from '@koa/router'
import { z } from 'zod'
import type { Clerk } from '../../clerk.ts'
import { createClient } from '../../entities/client.ts'
import { findUserByEmailAddress } from '../../entities/email-address.ts'
import { findMembership } from '../../entities/membership.ts'
import { findOrganization } from '../../entities/organization.ts'
import { hashPassword } from '../../entities/password.ts'
import { createSession } from '../../entities/session.ts'
import { createUser } from '../../entities/user.ts'
import { notFound } from '../../errors.ts'
import { mintSessionToken } from '../../tokens/session-token.ts'
import { backendUser } from '../../wire/user.ts'
import { emailField, nameField, passwordField, readForm } from '../form.ts'
import { activityOf } from '../frontend/activity.ts'
import { newestFirst } from '../page.ts'

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

/** Shortcuts for tests that need somebody signed in and no browser. */
export function peopleKnobs(clerk: Clerk): Router {
  const router = new Router({ prefix: '/_sandbox' })

  router.post('/users', async (ctx) => {
    const form = readForm(ctx, userForm)
    const user = createUser(clerk, {
      emailAddresses: [form.email],
      passwordHash: form.password === undefined ? null : await hashPassword(form.password),
      firstName: form.first_name,
      lastName: form.last_name,
      publicMetadata: form.role ? { role: form.role } : {},
    })
    ctx.status = 201
    ctx.body = backendUser(clerk, user)
  })

  router.post('/tokens', async (ctx) => {
    const form = readForm(ctx, tokenForm)
    const user = form.user_id
      ? clerk.store.users.get(form.user_id)
      : findUserByEmailAddress(clerk, form.email ?? '')
    if (!user) throw notFound('User')
    const { client } = createClient(clerk)
    const session = createSession(clerk, { client, user, activity: activityOf(ctx), strategy: 'ticket' })
    if (form.organization_id) {
      const organization = findOrganization(clerk, form.organization_id)
      const isMember =
        organization && findMembership(clerk, { organizationId: organization.id, userId: user.id })
      if (!isMember) throw notFound('Organization membership')
      session.last_active_organization_id = organization.id
    }
    const jwt = await mintSessionToken(clerk, session, {
      azp: form.azp ?? clerk.settings.origin,
      ...(form.expires_in_s === undefined ? {} : { expiresInS: form.expires_in_s }),
    })
    await clerk.store.save()
    ctx.status = 201
    ctx.body = { jwt, session_id: session.id, user_id: user.id }
  })

  router.get('/mails', (ctx) => {
    const to = typeof ctx.query.to === 'string' ? ctx.query.to.toLowerCase() : null
    ctx.body = { data: newestFirst(clerk.store.mails.filter((row) => to === null || row.to === to)) }
  })

  return router
}
