import type { APIRequestContext } from '@playwright/test'
import { newPerson, type Person } from './people.ts'

/**
 * Signs somebody new up by the calls that the sign-up form makes, which takes a tenth of the time. The session is in the cookies of
 * `request`, so in the browser whose `context.request` it is. For tests that are not about signing up.
 */
export async function arrive(request: APIRequestContext): Promise<Person> {
  const person = newPerson()
  const call = async (path: string, form: Record<string, string>): Promise<{ response: { id: string } }> => {
    const response = await request.post(`/__clerk/v1/client/sign_ups${path}`, { form })
    if (!response.ok()) throw new Error(`${path}: ${response.status()} ${await response.text()}`)
    return response.json()
  }
  const { id } = (await call('', { email_address: person.email, password: person.password })).response
  await call(`/${id}/prepare_verification`, { strategy: 'email_code' })
  await call(`/${id}/attempt_verification`, { strategy: 'email_code', code: '424242' })
  return person
}
