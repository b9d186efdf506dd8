import type { Router } from '@koa/router'
import { z } from 'zod'
import { resourceRoutes } from '../../../kit/resource.ts'
import { mergeMetadata } from '../../entities/metadata.ts'
import { hashPassword } from '../../entities/password.ts'
import { endOtherSessions } from '../../entities/session.ts'
import { createUser, deleteUser, LOCKOUT_MS, newPassword, updateUser } from '../../entities/user.ts'
import type { Service } from '../../service.ts'
import {
  booleanField,
  emailField,
  metadataField,
  nameField,
  newestFirst,
  oneOrMany,
  page,
  pageQuery,
  passwordField,
  readForm,
  readQuery,
} from '../../wire/form.ts'
import { backendMembership } from '../../wire/membership.ts'
import { backendUser } from '../../wire/user.ts'
import { answer, requireUser } from './shared.ts'
import { userQuery, usersMatching } from './user-query.ts'

const metadataFields = {
  public_metadata: metadataField,
  private_metadata: metadataField,
  unsafe_metadata: metadataField,
}
const metadataNames = ['public_metadata', 'private_metadata', 'unsafe_metadata'] as const
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

export function backendUserRoutes(router: Router, service: Service): void {
  // Clerk's SDK asks it with each list of users.
  router.get('/bapi/v1/users/count', (ctx) => {
    const total_count = usersMatching(service, readQuery(ctx, userQuery)).length
    ctx.body = { object: 'total_count', total_count }
  })

  router.post('/bapi/v1/users', async (ctx) => {
    const form = readForm(ctx, newForm)
    const user = createUser(service, {
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
    ctx.body = backendUser(service, user)
  })

  resourceRoutes(router, {
    path: '/bapi/v1/users',
    id: ':userId',
    handle: answer,
    find: (ctx) => requireUser(service, ctx),
    show: (user) => backendUser(service, user),
    list: (ctx) => {
      const query = readQuery(ctx, userQuery)
      return page(newestFirst(usersMatching(service, query)), query, (row) => backendUser(service, row)).data
    },
    update: async (user, ctx) => {
      const { password, sign_out_of_other_sessions, ...form } = readForm(ctx, changeForm)
      const given = Object.fromEntries(Object.entries(form).filter(([, value]) => value !== undefined))
      const password_hash = password === undefined ? undefined : await hashPassword(password)
      const updated = updateUser(service, user, {
        ...given,
        ...(password_hash && newPassword(password_hash)),
      })
      if (sign_out_of_other_sessions) endOtherSessions(service, user, null)
      return backendUser(service, updated)
    },
    updateVerb: 'patch',
  })

  router.patch('/bapi/v1/users/:userId/metadata', (ctx) => {
    const user = requireUser(service, ctx)
    const given = readForm(ctx, z.object(metadataFields))
    const changes = metadataNames.flatMap((name) =>
      given[name] ? [[name, mergeMetadata(user[name], given[name])]] : [],
    )
    ctx.body = backendUser(service, updateUser(service, user, Object.fromEntries(changes)))
  })

  router.delete('/bapi/v1/users/:userId', (ctx) => {
    const user = requireUser(service, ctx)
    deleteUser(service, user)
    ctx.body = { object: 'user', id: user.id, deleted: true }
  })

  for (const action of ['ban', 'unban'] as const) {
    router.post(`/bapi/v1/users/:userId/${action}`, (ctx) => {
      const user = requireUser(service, ctx)
      const updated = updateUser(service, user, { banned: action === 'ban' })
      if (updated.banned) endOtherSessions(service, user, null)
      ctx.body = backendUser(service, updated)
    })
  }

  // The next sign-in asks for another password (Clerk's operation SetUserPasswordCompromised).
  router.post('/bapi/v1/users/:userId/password/set_compromised', (ctx) => {
    const user = requireUser(service, ctx)
    ctx.body = backendUser(service, updateUser(service, user, { password_compromised: true }))
  })

  // A lock prevents new sign-ins and keeps the user's sessions.
  for (const action of ['lock', 'unlock'] as const) {
    router.post(`/bapi/v1/users/:userId/${action}`, (ctx) => {
      const user = requireUser(service, ctx)
      const locked_until = action === 'lock' ? Date.now() + LOCKOUT_MS : null
      ctx.body = backendUser(service, updateUser(service, user, { locked_until }))
    })
  }

  router.get('/bapi/v1/users/:userId/organization_memberships', (ctx) => {
    const user = requireUser(service, ctx)
    const found = service.store.memberships.filter((row) => row.user_id === user.id)
    ctx.body = page(newestFirst(found), readQuery(ctx, pageQuery), (row) => backendMembership(service, row))
  })
}
