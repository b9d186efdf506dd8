import type { Router, RouterContext } from '@koa/router'
import { z } from 'zod'
import { defined } from '../../../kit/defined.ts'
import {
  attemptCode,
  createEmailAddress,
  findUserByEmailAddress,
  isVerified,
  pendingVerification,
  saveVerification,
  sendCode,
} from '../../entities/email-address.ts'
import { hashPassword, isPassword } from '../../entities/password.ts'
import { activeSessionsOf, endOtherSessions, endSession, updateSession } from '../../entities/session.ts'
import { deleteUser, newPassword, updateUser } from '../../entities/user.ts'
import { ClerkError, fieldError, incorrectPassword, notFound, takenEmailAddress } from '../../errors.ts'
import type { Service } from '../../service.ts'
import type { EmailAddress, User } from '../../state.ts'
import {
  booleanField,
  emailField,
  metadataField,
  nameField,
  newestFirst,
  passwordField,
  readForm,
} from '../../wire/form.ts'
import { sessionWithActivity } from '../../wire/session.ts'
import { emailAddressFields, frontendUser } from '../../wire/user.ts'
import { callsOf, requireSession } from './browser.ts'

const profileForm = z.object({
  first_name: nameField.optional(),
  last_name: nameField.optional(),
  primary_email_address_id: z.string().max(64).optional(),
  unsafe_metadata: metadataField,
})
const passwordForm = z.object({
  current_password: passwordField.optional(),
  new_password: passwordField,
  sign_out_of_other_sessions: booleanField.optional(),
})
const removePasswordForm = z.object({ current_password: passwordField.optional() })

export function meRoutes(router: Router, service: Service): void {
  const call = callsOf(router, service)

  call('GET /v1/me', (ctx) => frontendUser(service, requireSession(service, ctx).user))

  call('PATCH /v1/me', (ctx) => {
    const { user } = requireSession(service, ctx)
    const form = readForm(ctx, profileForm)
    const primary = form.primary_email_address_id
    if (primary !== undefined) requireVerifiedAddress(user, primary)
    const updated = updateUser(service, user, {
      ...defined(form),
      ...(form.first_name === '' && { first_name: null }),
      ...(form.last_name === '' && { last_name: null }),
    })
    return frontendUser(service, updated)
  })

  call('DELETE /v1/me', (ctx) => {
    const { user } = requireSession(service, ctx)
    deleteUser(service, user)
    return { object: 'user', id: user.id, deleted: true }
  })

  call('POST /v1/me/change_password', async (ctx) => {
    const { user, session } = requireSession(service, ctx)
    const form = readForm(ctx, passwordForm)
    // Clerk's component for the task sends the new password alone (TaskResetPassword in @clerk/ui).
    if (!session.must_reset_password) await requirePassword(user, form.current_password)
    if (await isPassword(form.new_password, user.password_hash)) throw samePassword()
    const password_hash = await hashPassword(form.new_password, 'new_password')
    const updated = updateUser(service, user, newPassword(password_hash))
    updateSession(service, session, { must_reset_password: false, updated_at: Date.now() })
    if (form.sign_out_of_other_sessions) endOtherSessions(service, user, session)
    return frontendUser(service, updated)
  })

  router.post('/v1/me/remove_password', async (ctx) => {
    const { user } = requireSession(service, ctx)
    await requirePassword(user, readForm(ctx, removePasswordForm).current_password)
    // The instance asks for a password at sign-up, so no user may be without one later.
    throw new ClerkError(422, { code: 'password_required', message: 'Your account needs a password.' })
  })

  router.get('/v1/me/sessions/active', (ctx) => {
    const { user } = requireSession(service, ctx)
    ctx.body = newestFirst(activeSessionsOf(service, user)).map((row) => sessionWithActivity(service, row))
  })

  call('POST /v1/me/sessions/:sessionId/revoke', (ctx) => {
    const { user } = requireSession(service, ctx)
    const session = service.store.sessions.get(ctx.params.sessionId)
    if (!session || session.user_id !== user.id) throw notFound('Session')
    return sessionWithActivity(service, endSession(service, session, 'revoked'))
  })
}

function requireVerifiedAddress(user: User, id: string): void {
  const address = user.email_addresses.find((row) => row.id === id)
  if (!address || !isVerified(address)) {
    throw fieldError(
      'primary_email_address_id',
      'form_param_value_invalid',
      'Verify this email address first.',
    )
  }
}

async function requirePassword(user: User, password: string | undefined): Promise<void> {
  if (user.password_hash === null) return
  if (!(await isPassword(password ?? '', user.password_hash))) throw incorrectPassword('current_password')
}

function samePassword(): ClerkError {
  return fieldError(
    'new_password',
    'form_new_password_matches_current',
    'New password cannot be the same as the current password.',
  )
}

const ADDRESSES_MAX = 10
const addressForm = z.object({ email_address: emailField })
const codeForm = z.object({ code: z.string().max(20).optional() })

export function myEmailAddressRoutes(router: Router, service: Service): void {
  const call = callsOf(router, service)

  router.get('/v1/me/email_addresses', (ctx) => {
    const { user } = requireSession(service, ctx)
    ctx.body = user.email_addresses.map((row) => emailAddressFields(row))
  })

  call('POST /v1/me/email_addresses', (ctx) => {
    const { user } = requireSession(service, ctx)
    const wanted = readForm(ctx, addressForm).email_address
    const isOwn = user.email_addresses.some((row) => row.email_address === wanted)
    if (isOwn || findUserByEmailAddress(service, wanted)) throw takenEmailAddress()
    if (user.email_addresses.length >= ADDRESSES_MAX) {
      throw new ClerkError(403, {
        code: 'email_address_quota_exceeded',
        message: 'You have too many email addresses.',
      })
    }
    const address = createEmailAddress(wanted, { isVerified: false })
    updateUser(service, user, { email_addresses: [...user.email_addresses, address] })
    return emailAddressFields(address)
  })

  call('GET /v1/me/email_addresses/:id', (ctx) => emailAddressFields(requireAddress(service, ctx).address))

  call('POST /v1/me/email_addresses/:id/prepare_verification', (ctx) => {
    const { user, address } = requireAddress(service, ctx)
    const prepared = saveVerification(service, { user, address }, pendingVerification('email_code'))
    sendCode(service, address.email_address)
    return emailAddressFields(prepared)
  })

  call('POST /v1/me/email_addresses/:id/attempt_verification', (ctx) => {
    const { user, address } = requireAddress(service, ctx)
    const form = readForm(ctx, codeForm)
    // Another user may have verified the address since it was added.
    if (findUserByEmailAddress(service, address.email_address)) throw takenEmailAddress()
    let attempted = address
    attemptCode(address.verification, form.code, (verification) => {
      attempted = saveVerification(service, { user, address }, verification)
    })
    updateUser(service, user, {
      primary_email_address_id: user.primary_email_address_id ?? address.id,
    })
    return emailAddressFields(attempted)
  })

  call('DELETE /v1/me/email_addresses/:id', (ctx) => {
    const { user, address } = requireAddress(service, ctx)
    if (address.id === user.primary_email_address_id) {
      throw new ClerkError(403, {
        code: 'identification_deletion_failed',
        message: 'You cannot delete your primary email address.',
      })
    }
    updateUser(service, user, {
      email_addresses: user.email_addresses.filter((row) => row.id !== address.id),
    })
    return { object: 'email_address', id: address.id, deleted: true }
  })
}

function requireAddress(service: Service, ctx: RouterContext): { user: User; address: EmailAddress } {
  const { user } = requireSession(service, ctx)
  const address = user.email_addresses.find((row) => row.id === ctx.params.id)
  if (!address) throw notFound('Email address')
  return { user, address }
}
