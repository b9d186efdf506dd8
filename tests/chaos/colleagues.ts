import { setTimeout as delay } from 'node:timers/promises'
import { revokeTeamInvitation, sendTeamInvitation } from '../../schema/api/team-invitations.ts'
import type { Random } from '../support/random.ts'
import { signUp } from '../support/services/clerk.ts'
import type { Customer, World } from './customer.ts'
import { untilDone } from './until-done.ts'

/** A person is invited, and accepts, is revoked, or does not answer. */
export async function invite(world: World, customer: Customer, random: Random): Promise<void> {
  const { organization_id, person } = customer
  if (!organization_id) return
  const colleague = await signUp(world.system.clerk)
  const { token } = person
  const { status, body } = await world.client.call(sendTeamInvitation, {
    token,
    body: { org_id: organization_id, email: colleague.email },
  })
  if (status !== 200) return
  const { id } = (body as { invitation: { id: string } }).invitation
  const answer = random.weighted<'accepts' | 'is_revoked' | 'waits'>([
    [75, 'accepts'],
    [15, 'is_revoked'],
    [10, 'waits'],
  ])
  if (answer === 'is_revoked') await world.client.call(revokeTeamInvitation, { token, body: { id } })
  if (answer !== 'accepts') return
  const ticket = await findTicket(world, colleague.email)
  if (!ticket) return
  await untilDone(() =>
    fetch(`${world.system.clerk.url}/v1/client/sign_ins`, {
      method: 'POST',
      body: new URLSearchParams({ strategy: 'ticket', ticket }),
    }),
  )
}

/** The ticket of the mailed link, which is late when Clerk had to be asked again. */
async function findTicket({ system }: World, email: string): Promise<string | null> {
  for (let tries = 0; tries < 10; tries++) {
    const { data } = await untilDone(async () => {
      const mails = await fetch(`${system.clerk.url}/_sandbox/mails?to=${email}`)
      return (await mails.json()) as { data: { url: string }[] }
    })
    if (data[0]) return new URL(data[0].url).searchParams.get('ticket')
    await delay(500)
  }
  return null
}

/** A member leaves, or is removed in Clerk's dashboard. */
export async function lose(world: World, { organization_id, person }: Customer): Promise<void> {
  if (!organization_id) return
  const { organizations } = world.system.clerk.client
  const members = await untilDone(() =>
    organizations.getOrganizationMembershipList({ organizationId: organization_id, limit: 100 }),
  )
  const userId = members.data
    .map((member) => member.publicUserData?.userId)
    .find((id) => id && id !== person.user_id)
  if (!userId) return
  await untilDone(() =>
    organizations
      .deleteOrganizationMembership({ organizationId: organization_id, userId })
      // Done by a try whose answer was lost.
      .catch((error: { status?: number }) => {
        if (error.status !== 404) throw error
      }),
  )
}
