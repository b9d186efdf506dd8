import type { Router, RouterContext } from '@koa/router'
import { z } from 'zod'
import { hashPassword } from '../../entities/password.ts'
import { activeSessions, endOtherSessions } from '../../entities/session.ts'
import {
  attemptFirstFactor,
  completeSignIn,
  createSignIn,
  prepareFirstFactor,
  requireStatus,
  signInUser,
  signInWithTicket,
} from '../../entities/sign-in.ts'
import { newPassword, updateUser } from '../../entities/user.ts'
import { notFound } from '../../errors.ts'
import type { Service } from '../../service.ts'
import type { SignIn } from '../../state.ts'
import { booleanField, emailField, passwordField, readForm } from '../../wire/form.ts'
import { signInFields } from '../../wire/sign-in.ts'
import { activityOf, callsOf, findClient, findOrCreateClient } from './browser.ts'
import { sessionExists } from './sign-ups.ts'

const strategyField = z.enum(['password', 'email_code', 'reset_password_email_code'])
const startForm = z.object({
  identifier: emailField.optional(),
  strategy: z.union([strategyField, z.literal('ticket')]).optional(),
  password: passwordField.optional(),
  ticket: z.string().max(512).optional(),
})
const factorForm = z.object({
  strategy: strategyField,
  password: passwordField.optional(),
  code: z.string().max(20).optional(),
})
const newPasswordForm = z.object({
  password: passwordField,
  sign_out_of_other_sessions: booleanField.optional(),
})

export function signInRoutes(router: Router, service: Service): void {
  const call = callsOf(router, service)
  const shown = (signIn: SignIn) => signInFields(service, signIn)
  const browserOf = (ctx: RouterContext) => ({
    client: findOrCreateClient(service, ctx),
    activity: activityOf(ctx),
  })

  call('POST /v1/client/sign_ins', async (ctx) => {
    const { identifier = null, password, strategy, ticket } = readForm(ctx, startForm)
    const browser = browserOf(ctx)
    if (activeSessions(service, browser.client).length > 0) throw sessionExists()
    if (ticket) return shown(signInWithTicket(service, ticket, browser))
    const signIn = createSignIn(service, browser.client, identifier)
    if (password !== undefined) {
      return shown(await attemptFirstFactor(service, signIn, { strategy: 'password', password }, browser))
    }
    const isByMail = strategy === 'email_code' || strategy === 'reset_password_email_code'
    return shown(isByMail ? prepareFirstFactor(service, signIn, strategy) : signIn)
  })

  call('GET /v1/client/sign_ins/:id', (ctx) => shown(requireSignIn(service, ctx)))

  call('POST /v1/client/sign_ins/:id/prepare_first_factor', (ctx) =>
    shown(prepareFirstFactor(service, requireSignIn(service, ctx), readForm(ctx, factorForm).strategy)),
  )

  call('POST /v1/client/sign_ins/:id/attempt_first_factor', async (ctx) => {
    const signIn = requireSignIn(service, ctx)
    return shown(await attemptFirstFactor(service, signIn, readForm(ctx, factorForm), browserOf(ctx)))
  })

  call('POST /v1/client/sign_ins/:id/reset_password', async (ctx) => {
    const signIn = requireSignIn(service, ctx)
    const form = readForm(ctx, newPasswordForm)
    requireStatus(signIn, 'needs_new_password')
    const password_hash = await hashPassword(form.password)
    const user = signInUser(service, signIn)
    if (!user) throw notFound('User')
    updateUser(service, user, newPassword(password_hash))
    if (form.sign_out_of_other_sessions) endOtherSessions(service, user, null)
    return shown(completeSignIn(service, signIn, browserOf(ctx)))
  })
}

function requireSignIn(service: Service, ctx: RouterContext): SignIn {
  const signIn = service.store.sign_ins.get(ctx.params.id)
  const client = findClient(service, ctx)
  if (!signIn || !client || signIn.client_id !== client.id) throw notFound('Sign-in')
  return signIn
}
