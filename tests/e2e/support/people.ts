import { randomBytes } from 'node:crypto'
import type { APIRequestContext, Page } from '@playwright/test'
import {
  type Ask,
  type Person,
  signIn as signInBy,
  signUp as signUpBy,
} from '../../../scripts/demo/caller.ts'

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
  await signUpBy(askBy(request), person)
  return person
}

/** Signs an existing user in by the calls that the sign-in form makes. */
export function signIn(request: APIRequestContext, person: Person): Promise<void> {
  return signInBy(askBy(request), person)
}

/** Asks with the cookies of a browser that also has pages. */
export function askBy(request: APIRequestContext): Ask {
  return async (path, options = {}) => {
    const response = await request.fetch(path, options)
    if (!response.ok()) throw new Error(`${path}: ${response.status()} ${await response.text()}`)
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
