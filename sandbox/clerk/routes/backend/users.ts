import { Router } from '@koa/router'
import { z } from 'zod'
import type { Clerk } from '../../clerk.ts'
import { invitationStatus } from '../../entities/invitation.ts'
import { mergeMetadata } from '../../entities/metadata.ts'
import { hashPassword, isPassword } from '../../entities/password.ts'
import { activeSessionsOf, endOtherSessions, endSession } from '../../entities/session.ts'
import { createUser, deleteUser, updateUser } from '../../entities/user.ts'
import { incorrectPassword } from '../../errors.ts'
import { backendInvitation } from '../../wire/invitation.ts'
import { backendMembership } from '../../wire/membership.ts'
import { backendUser } from '../../wire/user.ts'
import {
  booleanField,
  emailField,
  metadataField,
  nameField,
  oneOrMany,
  passwordField,
  readForm,
  readQuery,
} from '../form.ts'
import { newestFirst, page, pageQuery } from '../page.ts'
import { requireUser } from './find.ts'
import { orderUsers, userQuery, usersMatching } from './user-query.ts'

const metadataFields = {
  public_metadata: metadataField,
  private_metadata: metadataField,
  unsafe_metadata: metadataField,
}
const newForm = z.object({
  email_address: oneOrMany(emailField).pipe(z.array(z.string()).min(1)),
  password: passwordField.optional(),
  first_name: nameField.nullish(),
  last_name: nameField.nullish(),
  external_id: z.string().max(256).nullish(),
  locale: z.string().max(35).nullish(),
  ...metadataFields,
})
const changeForm = z.object({
  first_name: nameField.nullish(),
  last_name: nameField.nullish(),
  external_id: z.string().max(256).nullish(),
  password: passwordField.optional(),
  sign_out_of_other_sessions: booleanField.optional(),
  primary_email_address_id: z.string().max(64).optional(),
  locale: z.string().max(35).nullish(),
  ...metadataFields,
})
const metadataForm = z.object(metadataFields)

export function backendUserRoutes(clerk: Clerk): Router {
  const router = new Router({ prefix: '/bapi/v1/users' })

  router.get('/', (ctx) => {
    const query = readQuery(ctx, userQuery)
    ctx.body = page(orderUsers(usersMatching(clerk, query), query.order_by), query, (row) =>
      backendUser(clerk, row),
    ).data
  })

  router.get('/count', (ctx) => {
    const total_count = usersMatching(clerk, readQuery(ctx, userQuery)).length
    ctx.body = { object: 'total_count', total_count }
  })

  router.post('/', async (ctx) => {
    const form = readForm(ctx, newForm)
    const user = createUser(clerk, {
      emailAddresses: form.email_address,
      passwordHash: form.password === undefined ? null : await hashPassword(form.password),
      firstName: form.first_name,
      lastName: form.last_name,
      externalId: form.external_id,
      locale: form.locale,
      publicMetadata: form.public_metadata,
      privateMetadata: form.private_metadata,
      unsafeMetadata: form.unsafe_metadata,
    })
    ctx.body = backendUser(clerk, user)
  })

  router.get('/:userId', (ctx) => {
    ctx.body = backendUser(clerk, requireUser(clerk, ctx))
  })

  router.patch('/:userId', async (ctx) => {
    const user = requireUser(clerk, ctx)
    const { password, sign_out_of_other_sessions, ...form } = readForm(ctx, changeForm)
    const given = Object.fromEntries(Object.entries(form).filter(([, value]) => value !== undefined))
    updateUser(clerk, user, {
      ...given,
      ...(password === undefined
        ? {}
        : { password_hash: await hashPassword(password), password_last_updated_at: Date.now() }),
    })
    if (sign_out_of_other_sessions) endOtherSessions(clerk, user, null)
    ctx.body = backendUser(clerk, user)
  })

  router.patch('/:userId/metadata', (ctx) => {
    const user = requireUser(clerk, ctx)
    const form = readForm(ctx, metadataForm)
    updateUser(clerk, user, {
      public_metadata: mergeMetadata(user.public_metadata, form.public_metadata ?? {}),
      private_metadata: mergeMetadata(user.private_metadata, form.private_metadata ?? {}),
      unsafe_metadata: mergeMetadata(user.unsafe_metadata, form.unsafe_metadata ?? {}),
    })
    ctx.body = backendUser(clerk, user)
  })

  router.put('/:userId/metadata', (ctx) => {
    const user = requireUser(clerk, ctx)
    const form = readForm(ctx, metadataForm)
    updateUser(clerk, user, {
      public_metadata: form.public_metadata ?? user.public_metadata,
      private_metadata: form.private_metadata ?? user.private_metadata,
      unsafe_metadata: form.unsafe_metadata ?? user.unsafe_metadata,
    })
    ctx.body = backendUser(clerk, user)
  })

  router.delete('/:userId', (ctx) => {
    const user = requireUser(clerk, ctx)
    deleteUser(clerk, user)
    ctx.body = { object: 'user', id: user.id, deleted: true }
  })

  router.post('/:userId/verify_password', async (ctx) => {
    const user = requireUser(clerk, ctx)
    const { password } = readForm(ctx, z.object({ password: passwordField }))
    if (!(await isPassword(password, user.password_hash))) throw incorrectPassword()
    ctx.body = { verified: true }
  })

  for (const action of ['ban', 'unban'] as const) {
    router.post(`/:userId/${action}`, (ctx) => {
      const user = requireUser(clerk, ctx)
      updateUser(clerk, user, { banned: action === 'ban' })
      if (user.banned) for (const row of activeSessionsOf(clerk, user)) endSession(clerk, row, 'revoked')
      ctx.body = backendUser(clerk, user)
    })
  }

  router.get('/:userId/organization_memberships', (ctx) => {
    const user = requireUser(clerk, ctx)
    const found = clerk.store.memberships.filter((row) => row.user_id === user.id)
    ctx.body = page(newestFirst(found), readQuery(ctx, pageQuery), (row) => backendMembership(clerk, row))
  })

  router.get('/:userId/organization_invitations', (ctx) => {
    const user = requireUser(clerk, ctx)
    const query = readQuery(ctx, pageQuery.extend({ status: oneOrMany(z.string()).optional() }))
    const addresses = user.email_addresses.map((row) => row.email_address)
    const found = clerk.store.invitations.filter(
      (row) =>
        addresses.includes(row.email_address) &&
        (!query.status || query.status.includes(invitationStatus(row))),
    )
    ctx.body = page(newestFirst(found), query, (row) => backendInvitation(clerk, row))
  })

  return router
}
