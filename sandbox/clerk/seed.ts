import { createOrganization } from './entities/organization.ts'
import { hashPassword } from './entities/password.ts'
import { createUser } from './entities/user.ts'
import type { Service } from './service.ts'

/** Documented in the README. The ids are fixed, so that what an application stored stays valid after a reset. */
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
  organization: {
    id: 'org_2sandboxDemo0000000000000000',
    name: 'Demo Organization',
    slug: 'demo-organization',
  },
} as const

export async function seed(service: Service): Promise<void> {
  const { demo, support, organization } = seeds
  const [demoHash, supportHash] = await Promise.all([
    hashPassword(demo.password),
    hashPassword(support.password),
  ])
  const owner = createUser(service, { ...demo, emailAddresses: [demo.email], passwordHash: demoHash })
  createUser(service, {
    ...support,
    emailAddresses: [support.email],
    passwordHash: supportHash,
    publicMetadata: { role: 'support' },
  })
  if (service.instance.organizations_enabled) {
    createOrganization(service, { ...organization, createdBy: owner })
  }
}
