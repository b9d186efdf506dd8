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
    first_name: 'Dana',
    last_name: 'Demo',
  },
  support: {
    id: 'user_2sandboxSupport000000000000',
    email: 'support@tidemark.test',
    password: 'tidemark-support-1',
    first_name: 'Sam',
    last_name: 'Support',
  },
  /** A second one, because an act is approved by another person than its requester. */
  supervisor: {
    id: 'user_2sandboxSupervisor00000000',
    email: 'supervisor@tidemark.test',
    password: 'tidemark-supervisor-1',
    first_name: 'Uma',
    last_name: 'Supervisor',
  },
  /** These two are not there at first: they sign up in the course of a demo. */
  colleague: {
    email: 'colleague@tidemark.test',
    password: 'tidemark-colleague-1',
    first_name: 'Cleo',
    last_name: 'Colleague',
  },
  starter: {
    email: 'starter@tidemark.test',
    password: 'tidemark-starter-1',
    first_name: 'Stan',
    last_name: 'Starter',
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
      name: `${person.first_name} ${person.last_name}`,
      email: person.email,
      password: person.password,
      opens: person === support || person === supervisor ? '/support' : '/dashboard',
    }))
}

export async function seed(service: Service): Promise<void> {
  const { demo, organization } = seeds
  const demoHash = await hashPassword(demo.password)
  const { email, password: _, ...person } = demo
  const owner = createUser(service, { ...person, email_addresses: [email], password_hash: demoHash })
  for (const { email, password, ...person } of [seeds.support, seeds.supervisor]) {
    createUser(service, {
      ...person,
      email_addresses: [email],
      password_hash: await hashPassword(password),
      public_metadata: { role: 'support' },
    })
  }
  if (service.instance.organizations_enabled) {
    createOrganization(service, { ...organization, creator: owner })
  }
}
