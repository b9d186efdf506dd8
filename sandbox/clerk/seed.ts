import { createOrganization } from './entities/organization.ts'
import { hashPassword } from './entities/password.ts'
import { createUser } from './entities/user.ts'
import type { Service } from './service.ts'

/** Documented in the README. Ids are fixed, so that stored references survive a reset. */
export const seeds = {
  demo: {
    id: 'user_2sandboxDemo000000000000000',
    email: 'demo@tidemark.test',
    password: 'tidemark-demo-1',
    firstName: 'Dana',
    lastName: 'Demo',
  },
  support: {
    id: 'user_2sandboxSupport000000000000',
    email: 'support@tidemark.test',
    password: 'tidemark-support-1',
    firstName: 'Sam',
    lastName: 'Support',
  },
  /** A second one, because an act is approved by another person than its requester. */
  supervisor: {
    id: 'user_2sandboxSupervisor00000000',
    email: 'supervisor@tidemark.test',
    password: 'tidemark-supervisor-1',
    firstName: 'Uma',
    lastName: 'Supervisor',
  },
  /** These two are not there at first: they sign up in the course of a demo. */
  colleague: {
    email: 'colleague@tidemark.test',
    password: 'tidemark-colleague-1',
    firstName: 'Cleo',
    lastName: 'Colleague',
  },
  starter: {
    email: 'starter@tidemark.test',
    password: 'tidemark-starter-1',
    firstName: 'Stan',
    lastName: 'Starter',
  },
  organization: {
    id: 'org_2sandboxDemo0000000000000000',
    name: 'Demo Organization',
    slug: 'demo-organization',
  },
} as const

/** Who can sign in with which password, and which page of the application shows what they are there for. */
export function listPeople({ store }: Service) {
  const { demo, colleague, starter, support, supervisor } = seeds
  const addresses = store.users
    .filter(() => true)
    .flatMap((user) => user.email_addresses.map((row) => row.email_address))
  return [demo, colleague, starter, support, supervisor]
    .filter(({ email }) => addresses.includes(email))
    .map((person) => ({
      name: `${person.firstName} ${person.lastName}`,
      email: person.email,
      password: person.password,
      opens: person === support || person === supervisor ? '/support' : '/dashboard',
    }))
}

export async function seed(service: Service): Promise<void> {
  const { demo, organization } = seeds
  const demoHash = await hashPassword(demo.password)
  const owner = createUser(service, { ...demo, emailAddresses: [demo.email], passwordHash: demoHash })
  for (const { password, ...person } of [seeds.support, seeds.supervisor]) {
    createUser(service, {
      ...person,
      emailAddresses: [person.email],
      passwordHash: await hashPassword(password),
      publicMetadata: { role: 'support' },
    })
  }
  if (service.instance.organizations_enabled) {
    createOrganization(service, { ...organization, createdBy: owner })
  }
}
