import { createClerkClient } from '@clerk/backend'
import type { Sandbox, SignedInPerson } from './sandbox.ts'

export interface TestOrganization {
  readonly id: string
  readonly name: string
}

let organizations = 0

function backend(clerk: Sandbox) {
  return createClerkClient({ secretKey: 'sk_test_sandbox', apiUrl: `${clerk.url}/bapi` }).organizations
}

/** An organization at the sign-in stand-in, with its first admin. */
export async function foundOrganization(
  clerk: Sandbox,
  admin: SignedInPerson,
  name = `Organization ${++organizations}`,
): Promise<TestOrganization> {
  const { id } = await backend(clerk).createOrganization({ name, createdBy: admin.user_id })
  return { id, name }
}

export async function addMember(
  clerk: Sandbox,
  organization: TestOrganization,
  person: SignedInPerson,
  role: 'org:admin' | 'org:member' = 'org:member',
): Promise<void> {
  await backend(clerk).createOrganizationMembership({
    organizationId: organization.id,
    userId: person.user_id,
    role,
  })
}
