import type { Router, RouterContext } from '@koa/router'
import { z } from 'zod'
import { hashPassword } from '../../entities/password.ts'
import { activeSessions } from '../../entities/session.ts'
import {
  applySignUpFields,
  attemptSignUpVerification,
  completeSignUp,
  createSignUp,
  prepareSignUpVerification,
  type SignUpFields,
} from '../../entities/sign-up.ts'
import { ClerkError, notFound } from '../../errors.ts'
import type { Service } from '../../service.ts'
import type { SignUp } from '../../state.ts'
import {
  booleanField,
  emailField,
  metadataField,
  nameField,
  passwordField,
  readForm,
} from '../../wire/form.ts'
import { signUpFields } from '../../wire/sign-in.ts'
import { activityOf, callsOf, findClient, findOrCreateClient } from './browser.ts'

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

function requireSignUp(service: Service, ctx: RouterContext): SignUp {
  const signUp = service.store.sign_ups.get(ctx.params.id)
  const client = findClient(service, ctx)
  if (!signUp || !client || signUp.client_id !== client.id) throw notFound('Sign-up')
  return signUp
}

export function sessionExists(): ClerkError {
  return new ClerkError(400, { code: 'session_exists', message: "You're already signed in." })
}
