import { randomUUID } from 'node:crypto'
import type { Person, TestClerk } from '../services/clerk.ts'

export interface TestOrganization {
  readonly id: string
  readonly name: string
}

/** An organization at the sign-in sandbox, with its first admin. */
export async function buildOrganization(
  clerk: TestClerk,
  admin: Pick<Person, 'user_id'>,
  name = `Organization ${randomUUID().slice(0, 8)}`,
): Promise<TestOrganization> {
  const { id } = await clerk.client.organizations.createOrganization({ name, createdBy: admin.user_id })
  return { id, name }
}

export async function addMember(
  clerk: TestClerk,
  organization: TestOrganization,
  person: Pick<Person, 'user_id'>,
  role: 'org:admin' | 'org:member' = 'org:member',
): Promise<void> {
  await clerk.client.organizations.createOrganizationMembership({
    organizationId: organization.id,
    userId: person.user_id,
    role,
  })
}
