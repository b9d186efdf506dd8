import type { Router } from '@koa/router'
import { z } from 'zod'
import { isVerified } from '../../entities/email-address.ts'
import { hashPassword, isPassword } from '../../entities/password.ts'
import { activeSessionsOf, endOtherSessions, endSession, updateSession } from '../../entities/session.ts'
import { deleteUser, newPassword, updateUser } from '../../entities/user.ts'
import { ClerkError, fieldError, incorrectPassword, notFound } from '../../errors.ts'
import type { Service } from '../../service.ts'
import type { User } from '../../state.ts'
import {
  booleanField,
  metadataField,
  nameField,
  newestFirst,
  passwordField,
  readForm,
} from '../../wire/form.ts'
import { sessionWithActivity } from '../../wire/session.ts'
import { frontendUser } from '../../wire/user.ts'
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
      ...(form.first_name === undefined ? {} : { first_name: form.first_name || null }),
      ...(form.last_name === undefined ? {} : { last_name: form.last_name || null }),
      ...(form.unsafe_metadata === undefined ? {} : { unsafe_metadata: form.unsafe_metadata }),
      ...(primary === undefined ? {} : { primary_email_address_id: primary }),
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
