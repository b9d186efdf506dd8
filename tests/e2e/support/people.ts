import { randomBytes } from 'node:crypto'
import type { APIRequestContext, Page } from '@playwright/test'

export interface Person {
  readonly email: string
  readonly password: string
}

function newPerson(): Person {
  const id = randomBytes(4).toString('hex')
  return { email: `ada.${id}@tidemark.test`, password: `tidal-${id}-harbour` }
}

/** A new, signed-in user on the dashboard, for tests that are not about signing up. */
export async function signUp(page: Page): Promise<Person> {
  const person = await arrive(page.request)
  await page.goto('/dashboard')
  return person
}

/** Signs a new user up by the form's calls, ten times faster. The session is in the cookies of `request`. */
export async function arrive(request: APIRequestContext): Promise<Person> {
  const person = newPerson()
  const call = callsOf(request, 'sign_ups')
  const { id } = (await call('', { email_address: person.email, password: person.password })).response
  await call(`/${id}/prepare_verification`, { strategy: 'email_code' })
  await call(`/${id}/attempt_verification`, { strategy: 'email_code', code: '424242' })
  return person
}

/** Signs an existing user in by the calls that the sign-in form makes. */
export async function signIn(request: APIRequestContext, { email, password }: Person): Promise<void> {
  const call = callsOf(request, 'sign_ins')
  const { id } = (await call('', { identifier: email })).response
  await call(`/${id}/attempt_first_factor`, { strategy: 'password', password })
}

function callsOf(request: APIRequestContext, kind: 'sign_ups' | 'sign_ins') {
  return async (path: string, form: Record<string, string>): Promise<{ response: { id: string } }> => {
    const response = await request.post(`/__clerk/v1/client/${kind}${path}`, { form })
    if (!response.ok()) throw new Error(`${kind}${path}: ${response.status()} ${await response.text()}`)
    return response.json()
  }
}

/** The sign-up form of the page that is open, from its first field to the e-mail's code. */
export async function fillSignUp(page: Page): Promise<Person> {
  const person = newPerson()
  // The sign-in form, from which some come, has such a field too.
  await page.getByRole('heading', { name: 'Create your account' }).waitFor()
  await page.getByLabel('Email address').fill(person.email)
  const password = page.getByLabel('Password', { exact: true })
  await password.fill(person.password)
  // By the keyboard: the password hint moves the button, so that a click may miss it.
  await password.press('Enter')
  await page.getByLabel('Enter verification code').first().pressSequentially('424242')
  return person
}
