import type { RouterContext } from '@koa/router'
import type { Clerk } from '../../clerk.ts'
import { findMembership } from '../../entities/membership.ts'
import { findOrganization } from '../../entities/organization.ts'
import { missingPermission, notFound } from '../../errors.ts'
import { requireSession } from './browser.ts'

/** The organization in the path, for its members only: to anyone else it does not exist. */
export function requireMember(clerk: Clerk, ctx: RouterContext) {
  const { user } = requireSession(clerk, ctx)
  const organization = findOrganization(clerk, ctx.params.organizationId ?? '')
  const membership =
    organization && findMembership(clerk, { organizationId: organization.id, userId: user.id })
  if (!organization || !membership) throw notFound('Organization')
  return { user, organization, membership }
}

export function requireAdmin(clerk: Clerk, ctx: RouterContext) {
  const member = requireMember(clerk, ctx)
  if (member.membership.role !== 'org:admin') throw missingPermission()
  return member
}
