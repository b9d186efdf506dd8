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
import {
  applySignUpFields,
  attemptSignUpVerification,
  completeSignUp,
  createSignUp,
  prepareSignUpVerification,
  type SignUpFields,
} from '../../entities/sign-up.ts'
import { newPassword, updateUser } from '../../entities/user.ts'
import { ClerkError, notFound } from '../../errors.ts'
import type { Service } from '../../service.ts'
import type { SignIn, SignUp } from '../../state.ts'
import {
  booleanField,
  emailField,
  metadataField,
  nameField,
  passwordField,
  readForm,
} from '../../wire/form.ts'
import { signInFields, signUpFields } from '../../wire/sign-in.ts'
import { activityOf, callsOf, findClient, findOrCreateClient } from './browser.ts'

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

export function signUpRoutes(router: Router, service: Service): void {
  const call = callsOf(router, service)
  /** If this was the last step missing, the account exists now. */
  const completed = (ctx: RouterContext, signUp: SignUp) => {
    const browser = { client: findOrCreateClient(service, ctx), activity: activityOf(ctx) }
    return signUpFields(completeSignUp(service, signUp, browser))
  }

  call('POST /v1/client/sign_ups', async (ctx) => {
    const fields = await readFields(ctx)
    const client = findOrCreateClient(service, ctx)
    if (activeSessions(service, client).length > 0) throw sessionExists()
    return completed(ctx, createSignUp(service, client, fields))
  })

  call('GET /v1/client/sign_ups/:id', (ctx) => completed(ctx, requireSignUp(service, ctx)))

  call('PATCH /v1/client/sign_ups/:id', async (ctx) =>
    completed(ctx, applySignUpFields(service, requireSignUp(service, ctx), await readFields(ctx))),
  )

  call('POST /v1/client/sign_ups/:id/prepare_verification', (ctx) => {
    const signUp = requireSignUp(service, ctx)
    readForm(ctx, codeForm)
    return completed(ctx, prepareSignUpVerification(service, signUp))
  })

  call('POST /v1/client/sign_ups/:id/attempt_verification', (ctx) => {
    const signUp = requireSignUp(service, ctx)
    const { code } = readForm(ctx, codeForm)
    return completed(ctx, attemptSignUpVerification(service, signUp, code))
  })
}

async function readFields(ctx: RouterContext): Promise<SignUpFields> {
  const { password, ...form } = readForm(ctx, signUpForm)
  return { ...form, password_hash: password === undefined ? undefined : await hashPassword(password) }
}

function requireSignUp(service: Service, ctx: RouterContext): SignUp {
  const signUp = service.store.sign_ups.get(ctx.params.id)
  const client = findClient(service, ctx)
  if (!signUp || !client || signUp.client_id !== client.id) throw notFound('Sign-up')
  return signUp
}

function sessionExists(): ClerkError {
  return new ClerkError(400, { code: 'session_exists', message: "You're already signed in." })
}
