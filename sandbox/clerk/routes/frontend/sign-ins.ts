import { Router, type RouterContext } from '@koa/router'
import { z } from 'zod'
import type { Clerk } from '../../clerk.ts'
import { activeSessions } from '../../entities/client.ts'
import { hashPassword } from '../../entities/password.ts'
import { endOtherSessions } from '../../entities/session.ts'
import {
  attemptFirstFactor,
  completeSignIn,
  createSignIn,
  prepareFirstFactor,
  requireStatus,
  type SignIn,
  signInUser,
  signInWithTicket,
} from '../../entities/sign-in.ts'
import { updateUser } from '../../entities/user.ts'
import { notFound } from '../../errors.ts'
import { signInFields } from '../../wire/sign-in.ts'
import { booleanField, emailField, passwordField, readForm } from '../form.ts'
import { activityOf } from './activity.ts'
import { findClient, findOrCreateClient, respond } from './browser.ts'
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

export function signInRoutes(clerk: Clerk): Router {
  const router = new Router({ prefix: '/v1/client/sign_ins' })

  router.post('/', async (ctx) => {
    const form = readForm(ctx, startForm)
    const client = findOrCreateClient(clerk, ctx)
    if (activeSessions(clerk, client).length > 0) throw sessionExists()
    const browser = { client, activity: activityOf(ctx) }
    if (form.ticket) {
      await respondWithSignIn(clerk, ctx, signInWithTicket(clerk, form.ticket, browser))
      return
    }
    const signIn = createSignIn(clerk, client, form.identifier ?? null)
    if (form.password !== undefined) {
      await attemptFirstFactor(clerk, signIn, { strategy: 'password', password: form.password }, browser)
    } else if (form.strategy === 'email_code' || form.strategy === 'reset_password_email_code') {
      prepareFirstFactor(clerk, signIn, form.strategy)
    }
    await respondWithSignIn(clerk, ctx, signIn)
  })

  router.get('/:id', async (ctx) => {
    await respondWithSignIn(clerk, ctx, requireSignIn(clerk, ctx))
  })

  router.post('/:id/prepare_first_factor', async (ctx) => {
    const signIn = requireSignIn(clerk, ctx)
    prepareFirstFactor(clerk, signIn, readForm(ctx, factorForm).strategy)
    await respondWithSignIn(clerk, ctx, signIn)
  })

  router.post('/:id/attempt_first_factor', async (ctx) => {
    const signIn = requireSignIn(clerk, ctx)
    const browser = { client: findOrCreateClient(clerk, ctx), activity: activityOf(ctx) }
    await attemptFirstFactor(clerk, signIn, readForm(ctx, factorForm), browser)
    await respondWithSignIn(clerk, ctx, signIn)
  })

  router.post('/:id/reset_password', async (ctx) => {
    const signIn = requireSignIn(clerk, ctx)
    const form = readForm(ctx, newPasswordForm)
    requireStatus(signIn, 'needs_new_password')
    const password_hash = await hashPassword(form.password)
    const user = signInUser(clerk, signIn)
    if (!user) throw notFound('User')
    updateUser(clerk, user, { password_hash, password_last_updated_at: Date.now() })
    if (form.sign_out_of_other_sessions) endOtherSessions(clerk, user, null)
    completeSignIn(clerk, signIn, { client: findOrCreateClient(clerk, ctx), activity: activityOf(ctx) })
    await respondWithSignIn(clerk, ctx, signIn)
  })

  return router
}

async function respondWithSignIn(clerk: Clerk, ctx: RouterContext, signIn: SignIn): Promise<void> {
  await respond(clerk, ctx, signInFields(clerk, signIn))
}

function requireSignIn(clerk: Clerk, ctx: RouterContext): SignIn {
  const signIn = clerk.store.signIns.get(ctx.params.id)
  const client = findClient(clerk, ctx)
  if (!signIn || !client || signIn.client_id !== client.id) throw notFound('Sign-in')
  return signIn
}
