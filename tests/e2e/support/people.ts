import { randomBytes } from 'node:crypto'
import type { Page } from '@playwright/test'

export interface Person {
  readonly email: string
  readonly password: string
}

export function newPerson(): Person {
  const id = randomBytes(4).toString('hex')
  return { email: `ada.${id}@tidemark.test`, password: `tidal-${id}-harbour` }
}

/** Signs up as a person does, through the real sign-up form, and ends on the dashboard. */
export async function signUp(page: Page): Promise<Person> {
  await page.goto('/sign-up')
  const person = await fillSignUp(page)
  await page.waitForURL('**/dashboard')
  return person
}

/** The sign-up form of the page that is open, from its first field to the e-mail's code. */
export async function fillSignUp(page: Page): Promise<Person> {
  const person = newPerson()
  await page.getByLabel('Email address').fill(person.email)
  await page.getByLabel('Password', { exact: true }).fill(person.password)
  await page.getByRole('button', { name: 'Continue', exact: true }).click()
  await page.getByLabel('Enter verification code').first().pressSequentially('424242')
  return person
}
