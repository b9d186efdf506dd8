import { randomUUID } from 'node:crypto'
import type { ClerkClient } from '@clerk/backend'
import { isClerkAPIResponseError } from '@clerk/backend/errors'
import type { Finding, Step } from './findings.ts'

interface Options {
  readonly clerk: ClerkClient
  readonly app_url: string
  /** Of a production instance, whose plan decides; null where there is none. */
  readonly production: ClerkClient | null
  /** Whatever is left at the end is taken away again. */
  readonly running: AsyncDisposableStack
}

/** Clerk's default: members and pending invitations together. */
const defaultMaximum = 5

/**
 * The product's calls to Clerk for a team. `+clerk_test` addresses get no mail ("Test emails and phones").
 */
export function clerkSteps({ clerk, production, app_url, running }: Options): Step[] {
  const made: { user_id?: string; organization_id?: string } = {}
  const run = randomUUID().slice(0, 8)
  const address = (name: string) => `${name}-${run}+clerk_test@example.com`
  const organization_id = () => {
    if (!made.organization_id) throw new Error('An earlier step broke')
    return made.organization_id
  }
  const invite = (name: string) =>
    outcomeOf(async () => {
      const { status, role } = await clerk.organizations.createOrganizationInvitation({
        organizationId: organization_id(),
        emailAddress: address(name),
        role: 'org:member',
        redirectUrl: `${app_url}/sign-in`,
        ...(made.user_id && { inviterUserId: made.user_id }),
      })
      return { status: status ?? null, role }
    })

  return [
    [
      'a person',
      async () => {
        const user = await clerk.users.createUser({
          emailAddress: [address('admin')],
          password: `Live-check ${randomUUID()}`,
        })
        made.user_id = user.id
        running.defer(async () => {
          await clerk.users.deleteUser(user.id)
        })
        return {
          addresses: user.emailAddresses.length,
          verification: user.emailAddresses[0]?.verification?.status ?? null,
          banned: user.banned,
          locked: user.locked,
        }
      },
    ],
    [
      'an organization that the person creates',
      () =>
        outcomeOf(async () => {
          const organization = await clerk.organizations.createOrganization({
            name: `live-check ${run}`,
            ...(made.user_id && { createdBy: made.user_id }),
          })
          made.organization_id = organization.id
          running.defer(async () => {
            await clerk.organizations.deleteOrganization(organization.id)
          })
          const { data } = await clerk.organizations.getOrganizationMembershipList({
            organizationId: organization.id,
          })
          return {
            maximum: organization.maxAllowedMemberships,
            roles: data.map(({ role }) => role),
          }
        }),
    ],
    [
      'members two to five are invited',
      async () => {
        const outcomes: Finding[] = []
        for (let member = 2; member <= defaultMaximum; member++)
          outcomes.push(await invite(`member-${member}`))
        return outcomes
      },
    ],
    ['a sixth member', () => invite('member-6')],
    [
      'the sixth member after the maximum was raised',
      async () => {
        const { maxAllowedMemberships } = await clerk.organizations.updateOrganization(organization_id(), {
          maxAllowedMemberships: defaultMaximum + 1,
        })
        return { maximum: maxAllowedMemberships, invitation: await invite('member-6') }
      },
    ],
    [
      'a limit of 21 people on a production instance',
      async () => {
        if (!production) return 'not looked at: LIVE_CHECK_CLERK_PRODUCTION_KEY is not set'
        return outcomeOf(async () => {
          const name = `live-check ${run}`
          const { id, maxAllowedMemberships } = await production.organizations.createOrganization({
            name,
            maxAllowedMemberships: 21,
          })
          running.defer(async () => {
            await production.organizations.deleteOrganization(id)
          })
          const { maxAllowedMemberships: allowed } = await production.instance.getOrganizationSettings()
          return { limit: maxAllowedMemberships, limit_of_the_instance: allowed }
        })
      },
    ],
    [
      'whether user.updated comes at each sign-in',
      async () => 'not looked at: no call of Clerk’s lists events; sign in twice, and see the endpoint’s log',
    ],
    ['the same address again', () => invite('member-2')],
    [
      'a person who was deleted',
      async () => {
        const { id } = await clerk.users.createUser({
          emailAddress: [address('deleted')],
          password: `Live-check ${randomUUID()}`,
        })
        await clerk.users.deleteUser(id)
        return outcomeOf(async () => {
          await clerk.users.getUser(id)
          return 'still there'
        })
      },
    ],
    [
      'a maximum below what there is',
      () =>
        outcomeOf(async () => {
          const { maxAllowedMemberships } = await clerk.organizations.updateOrganization(organization_id(), {
            maxAllowedMemberships: 1,
          })
          return { maximum: maxAllowedMemberships }
        }),
    ],
  ]
}

/** A refusal is a finding, too. */
async function outcomeOf(call: () => Promise<Finding>): Promise<Finding> {
  try {
    return await call()
  } catch (error) {
    if (!isClerkAPIResponseError(error)) throw error
    return { refused: { status: error.status, codes: error.errors.map(({ code }) => code) } }
  }
}
