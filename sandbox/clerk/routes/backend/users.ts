import type { Router, RouterContext } from '@koa/router'
import { z } from 'zod'
import { defined } from '../../../kit/defined.ts'
import { createEmailAddress, findUserByEmailAddress } from '../../entities/email-address.ts'
import { mergeMetadata } from '../../entities/metadata.ts'
import { hashPassword } from '../../entities/password.ts'
import { endOtherSessions, endSession, shownStatus } from '../../entities/session.ts'
import { publicKeySet, signingKey } from '../../entities/signing-key.ts'
import { createUser, deleteUser, LOCKOUT_MS, newPassword, updateUser } from '../../entities/user.ts'
import { notFound, takenEmailAddress } from '../../errors.ts'
import type { Service } from '../../service.ts'
import type { Session } from '../../state.ts'
import {
  booleanField,
  emailField,
  metadataField,
  nameField,
  oneOrMany,
  page,
  pageQuery,
  passwordField,
  readForm,
  readQuery,
} from '../../wire/form.ts'
import { backendMembership } from '../../wire/organization.ts'
import { backendSession } from '../../wire/session.ts'
import { backendUser, emailAddressFields } from '../../wire/user.ts'
import { callsOf, requireUser, userQuery, usersMatching } from '../shared.ts'

const metadataFields = {
  public_metadata: metadataField,
  private_metadata: metadataField,
  unsafe_metadata: metadataField,
}
const metadataNames = ['public_metadata', 'private_metadata', 'unsafe_metadata'] as const
const fields = {
  password: passwordField.optional(),
  first_name: nameField.nullish(),
  last_name: nameField.nullish(),
  external_id: z.string().max(256).nullish(),
  locale: z.string().max(35).nullish(),
  ...metadataFields,
}
const newForm = z.object({
  ...fields,
  email_address: oneOrMany(emailField).pipe(z.array(z.string()).min(1)),
})
const changeForm = z.object({
  ...fields,
  primary_email_address_id: z.string().max(64).optional(),
})
const addressForm = z.object({
  user_id: z.string().max(64),
  email_address: emailField,
  verified: booleanField.optional(),
  primary: booleanField.optional(),
})
const sessionsQuery = pageQuery.extend({
  user_id: z.string().max(64).optional(),
  status: z.string().max(32).optional(),
  paginated: booleanField.optional(),
})

/** Users with their addresses and sessions, and the keys of their tokens. */
export function backendUserRoutes(router: Router, service: Service): void {
  const { store } = service
  const call = callsOf(router)
  const change = (ctx: RouterContext, changes: Parameters<typeof updateUser>[2]) =>
    backendUser(updateUser(service, requireUser(service, ctx), changes))

  call('GET /jwks', () => publicKeySet(signingKey(service)))

  // Clerk's SDK asks it with each list of users.
  call('GET /users/count', (ctx) => ({
    object: 'total_count',
    total_count: usersMatching(service, readQuery(ctx, userQuery)).length,
  }))

  call('POST /users', async (ctx) => {
    const { email_address: email_addresses, password, ...form } = readForm(ctx, newForm)
    const password_hash = password === undefined ? null : await hashPassword(password)
    return backendUser(createUser(service, { ...form, email_addresses, password_hash }))
  })

  call('GET /users', (ctx) => {
    const query = readQuery(ctx, userQuery)
    return page(usersMatching(service, query), query, backendUser).data
  })

  call('GET /users/:userId', (ctx) => backendUser(requireUser(service, ctx)))

  call('PATCH /users/:userId', async (ctx) => {
    const { password, ...form } = readForm(ctx, changeForm)
    const password_hash = password === undefined ? undefined : await hashPassword(password)
    return change(ctx, { ...defined(form), ...(password_hash && newPassword(password_hash)) })
  })

  call('PATCH /users/:userId/metadata', (ctx) => {
    const user = requireUser(service, ctx)
    const given = readForm(ctx, z.object(metadataFields))
    const changes = metadataNames.flatMap((name) =>
      given[name] ? [[name, mergeMetadata(user[name], given[name])]] : [],
    )
    return change(ctx, Object.fromEntries(changes))
  })

  call('DELETE /users/:userId', (ctx) => {
    const user = requireUser(service, ctx)
    deleteUser(service, user)
    return { object: 'user', id: user.id, deleted: true }
  })

  call('POST /users/:userId/ban', (ctx) => {
    const banned = change(ctx, { banned: true })
    endOtherSessions(service, requireUser(service, ctx), null)
    return banned
  })
  call('POST /users/:userId/unban', (ctx) => change(ctx, { banned: false }))

  // The next sign-in asks for another password (Clerk's operation SetUserPasswordCompromised).
  call('POST /users/:userId/password/set_compromised', (ctx) => change(ctx, { password_compromised: true }))

  // A lock prevents new sign-ins and keeps the user's sessions.
  call('POST /users/:userId/lock', (ctx) => change(ctx, { locked_until: Date.now() + LOCKOUT_MS }))

  call('GET /users/:userId/organization_memberships', (ctx) => {
    const user = requireUser(service, ctx)
    const found = store.memberships.filter((row) => row.user_id === user.id)
    return page(found, readQuery(ctx, pageQuery), (row) => backendMembership(service, row))
  })

  call('POST /email_addresses', (ctx) => {
    const form = readForm(ctx, addressForm)
    const user = store.users.get(form.user_id)
    if (!user) throw notFound('User')
    if (findUserByEmailAddress(service, form.email_address)) throw takenEmailAddress()
    const address = createEmailAddress(form.email_address, { isVerified: form.verified ?? false })
    updateUser(service, user, {
      email_addresses: [...user.email_addresses, address],
      ...(form.primary ? { primary_email_address_id: address.id } : {}),
    })
    return emailAddressFields(address)
  })

  call('DELETE /email_addresses/:id', (ctx) => {
    const { id } = ctx.params
    const user = store.users.find((row) => row.email_addresses.some((address) => address.id === id))
    if (!user) throw notFound('Email address')
    const left = user.email_addresses.filter((row) => row.id !== id)
    updateUser(service, user, {
      email_addresses: left,
      ...(user.primary_email_address_id === id ? { primary_email_address_id: left[0]?.id ?? null } : {}),
    })
    return { object: 'email_address', id, deleted: true }
  })

  const requireSession = (ctx: RouterContext): Session => {
    const session = store.sessions.get(ctx.params.sessionId)
    if (!session) throw notFound('Session')
    return session
  }

  call('GET /sessions', (ctx) => {
    const query = readQuery(ctx, sessionsQuery)
    const found = store.sessions.filter(
      (row) =>
        (!query.user_id || row.user_id === query.user_id) &&
        (!query.status || shownStatus(service, row) === query.status),
    )
    const answer = page(found, query, (row) => backendSession(service, row))
    return query.paginated ? answer : answer.data
  })
  call('GET /sessions/:sessionId', (ctx) => backendSession(service, requireSession(ctx)))
  call('POST /sessions/:sessionId/revoke', (ctx) =>
    backendSession(service, endSession(service, requireSession(ctx), 'revoked')),
  )
}
