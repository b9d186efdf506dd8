import type { Page } from '@playwright/test'
import type { Person } from '../../../scripts/demo/caller.ts'
import { signUp } from './people.ts'
import { findUserId, openSandboxClerk } from './product.ts'

/** An organization of the person, made as Clerk's own components make it: without a plan. */
export async function createOrganization(
  admin: Pick<Person, 'email'>,
): Promise<{ id: string; name: string }> {
  const name = `Harbour ${admin.email.split('.')[1]?.split('@')[0]}`
  const createdBy = await findUserId(admin.email)
  const { id } = await openSandboxClerk().organizations.createOrganization({ name, createdBy })
  return { id, name }
}

/** A new member of the organization, signed in on the page; without a seat while none is free. */
export async function joinAsMember(page: Page, organizationId: string): Promise<Person> {
  const person = await signUp(page)
  await addMember(organizationId, person, 'org:member')
  return person
}

async function addMember(
  organizationId: string,
  { email }: Pick<Person, 'email'>,
  role: 'org:member' | 'org:admin',
): Promise<void> {
  const userId = await findUserId(email)
  await openSandboxClerk().organizations.createOrganizationMembership({ organizationId, userId, role })
}
