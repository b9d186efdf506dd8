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
import { activityOf, findClient, findOrCreateClient, respond } from './browser.ts'
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
  router.post('/v1/client/sign_ins', async (ctx) => {
    const form = readForm(ctx, startForm)
    const client = findOrCreateClient(service, ctx)
    if (activeSessions(service, client).length > 0) throw sessionExists()
    const browser = { client, activity: activityOf(ctx) }
    if (form.ticket) {
      await respondWithSignIn(service, ctx, signInWithTicket(service, form.ticket, browser))
      return
    }
    let signIn = createSignIn(service, client, form.identifier ?? null)
    if (form.password !== undefined) {
      const factor = { strategy: 'password', password: form.password } as const
      signIn = await attemptFirstFactor(service, signIn, factor, browser)
    } else if (form.strategy === 'email_code' || form.strategy === 'reset_password_email_code') {
      signIn = prepareFirstFactor(service, signIn, form.strategy)
    }
    await respondWithSignIn(service, ctx, signIn)
  })

  router.get('/v1/client/sign_ins/:id', async (ctx) => {
    await respondWithSignIn(service, ctx, requireSignIn(service, ctx))
  })

  router.post('/v1/client/sign_ins/:id/prepare_first_factor', async (ctx) => {
    const signIn = requireSignIn(service, ctx)
    const { strategy } = readForm(ctx, factorForm)
    await respondWithSignIn(service, ctx, prepareFirstFactor(service, signIn, strategy))
  })

  router.post('/v1/client/sign_ins/:id/attempt_first_factor', async (ctx) => {
    const signIn = requireSignIn(service, ctx)
    const browser = { client: findOrCreateClient(service, ctx), activity: activityOf(ctx) }
    const attempted = await attemptFirstFactor(service, signIn, readForm(ctx, factorForm), browser)
    await respondWithSignIn(service, ctx, attempted)
  })

  router.post('/v1/client/sign_ins/:id/reset_password', async (ctx) => {
    const signIn = requireSignIn(service, ctx)
    const form = readForm(ctx, newPasswordForm)
    requireStatus(signIn, 'needs_new_password')
    const password_hash = await hashPassword(form.password)
    const user = signInUser(service, signIn)
    if (!user) throw notFound('User')
    updateUser(service, user, newPassword(password_hash))
    if (form.sign_out_of_other_sessions) endOtherSessions(service, user, null)
    const browser = { client: findOrCreateClient(service, ctx), activity: activityOf(ctx) }
    await respondWithSignIn(service, ctx, completeSignIn(service, signIn, browser))
  })
}

async function respondWithSignIn(service: Service, ctx: RouterContext, signIn: SignIn): Promise<void> {
  await respond(service, ctx, signInFields(service, signIn))
}

function requireSignIn(service: Service, ctx: RouterContext): SignIn {
  const signIn = service.store.sign_ins.get(ctx.params.id)
  const client = findClient(service, ctx)
  if (!signIn || !client || signIn.client_id !== client.id) throw notFound('Sign-in')
  return signIn
}
