import { Router, type RouterContext } from '@koa/router'
import { z } from 'zod'
import type { Clerk } from '../../clerk.ts'
import { activeSessions } from '../../entities/client.ts'
import { hashPassword } from '../../entities/password.ts'
import {
  applySignUpFields,
  attemptSignUpVerification,
  completeSignUp,
  createSignUp,
  prepareSignUpVerification,
  type SignUp,
  type SignUpFields,
} from '../../entities/sign-up.ts'
import { ClerkError, notFound } from '../../errors.ts'
import { signUpFields } from '../../wire/sign-up.ts'
import { booleanField, emailField, metadataField, nameField, passwordField, readForm } from '../form.ts'
import { activityOf } from './activity.ts'
import { findClient, findOrCreateClient, respond } from './browser.ts'

const signUpForm = z.object({
  email_address: emailField.optional(),
  password: passwordField.optional(),
  first_name: nameField.optional(),
  last_name: nameField.optional(),
  unsafe_metadata: metadataField,
  locale: z.string().max(35).optional(),
  legal_accepted: booleanField.optional(),
  ticket: z.string().max(512).optional(),
})
const codeForm = z.object({ strategy: z.literal('email_code'), code: z.string().max(20).optional() })

export function signUpRoutes(clerk: Clerk): Router {
  const router = new Router({ prefix: '/v1/client/sign_ups' })

  router.post('/', async (ctx) => {
    const fields = await readFields(ctx)
    const client = findOrCreateClient(clerk, ctx)
    if (activeSessions(clerk, client).length > 0) throw sessionExists()
    await respondWithSignUp(clerk, ctx, createSignUp(clerk, client, fields))
  })

  router.get('/:id', async (ctx) => {
    await respondWithSignUp(clerk, ctx, requireSignUp(clerk, ctx))
  })

  router.patch('/:id', async (ctx) => {
    const signUp = requireSignUp(clerk, ctx)
    applySignUpFields(clerk, signUp, await readFields(ctx))
    await respondWithSignUp(clerk, ctx, signUp)
  })

  router.post('/:id/prepare_verification', async (ctx) => {
    const signUp = requireSignUp(clerk, ctx)
    readForm(ctx, codeForm)
    prepareSignUpVerification(clerk, signUp)
    await respondWithSignUp(clerk, ctx, signUp)
  })

  router.post('/:id/attempt_verification', async (ctx) => {
    const signUp = requireSignUp(clerk, ctx)
    attemptSignUpVerification(signUp, readForm(ctx, codeForm).code)
    await respondWithSignUp(clerk, ctx, signUp)
  })

  return router
}

/** Whatever the step was: if it was the last one missing, the account exists now. */
async function respondWithSignUp(clerk: Clerk, ctx: RouterContext, signUp: SignUp): Promise<void> {
  completeSignUp(clerk, signUp, { client: findOrCreateClient(clerk, ctx), activity: activityOf(ctx) })
  await respond(clerk, ctx, signUpFields(signUp))
}

async function readFields(ctx: RouterContext): Promise<SignUpFields> {
  const form = readForm(ctx, signUpForm)
  return {
    emailAddress: form.email_address,
    passwordHash: form.password === undefined ? undefined : await hashPassword(form.password),
    firstName: form.first_name,
    lastName: form.last_name,
    unsafeMetadata: form.unsafe_metadata,
    locale: form.locale,
    legalAccepted: form.legal_accepted,
    ticket: form.ticket,
  }
}

function requireSignUp(clerk: Clerk, ctx: RouterContext): SignUp {
  const signUp = clerk.store.signUps.get(ctx.params.id)
  const client = findClient(clerk, ctx)
  if (!signUp || !client || signUp.client_id !== client.id) throw notFound('Sign-up')
  return signUp
}

export function sessionExists(): ClerkError {
  return new ClerkError(400, { code: 'session_exists', message: "You're already signed in." })
}
