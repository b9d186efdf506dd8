import { sendTeamInvitation } from '../../schema/api/team-invitations.ts'
import { acceptInvitation } from '../support/factories/teams.ts'
import { signUp } from '../support/services/clerk.ts'
import type { FaultyProduct } from './faulty-product.ts'
import { type Owner, tokenFor } from './owner.ts'
import { pass } from './pass.ts'
import { ignoreCut } from './play.ts'

/** The product compares an organization's seats with its memberships this often. */
const compareEvery_s = 6 * 3600

/** A person is invited and accepts. Clerk sends no event. */
export async function joinTeam(product: FaultyProduct, owner: Owner): Promise<void> {
  if (!owner.organization_id) return
  const colleague = await signUp(product.clerk)
  const body = { org_id: owner.organization_id, email: colleague.email }
  const token = await tokenFor(product, owner)
  const answer = await product.server.api(sendTeamInvitation, { token, body }).catch(ignoreCut)
  if (answer?.status !== 200) return void owner.refusals.push(`No seat: ${answer?.status}`)
  await acceptInvitation(product.clerk, colleague)
  owner.colleagues.push(colleague.user_id)
  owner.has_changed_team = true
}

/** The member who joined first leaves. Clerk sends no event. */
export async function leaveTeam(product: FaultyProduct, owner: Owner): Promise<void> {
  const userId = owner.colleagues.shift()
  if (!userId || !owner.organization_id) return
  const organizationId = owner.organization_id
  await product.clerk.client.organizations.deleteOrganizationMembership({ organizationId, userId })
  owner.has_changed_team = true
}

/** Waits until the next comparison of seats with memberships is due. */
export async function awaitComparison(product: FaultyProduct, owner: Owner): Promise<void> {
  if (owner.has_changed_team) await pass(product, compareEvery_s)
}
