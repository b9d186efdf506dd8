import type { RouterContext } from '@koa/router'
import type { Clerk } from '../../clerk.ts'
import { findMembership, type OrganizationMembership } from '../../entities/membership.ts'
import { findOrganization, type Organization } from '../../entities/organization.ts'
import type { User } from '../../entities/user.ts'
import { notFound } from '../../errors.ts'

/** The objects that a path names; one that is not there answers 404. */
export function requireUser(clerk: Clerk, ctx: RouterContext): User {
  const user = clerk.store.users.get(ctx.params.userId)
  if (!user) throw notFound('User')
  return user
}

export function requireOrganization(clerk: Clerk, ctx: RouterContext): Organization {
  const organization = findOrganization(clerk, ctx.params.organizationId ?? '')
  if (!organization) throw notFound('Organization')
  return organization
}

export function requireMembership(clerk: Clerk, ctx: RouterContext): OrganizationMembership {
  const organization = requireOrganization(clerk, ctx)
  const { userId } = ctx.params
  const membership = userId && findMembership(clerk, { organizationId: organization.id, userId })
  if (!membership) throw notFound('Organization membership')
  return membership
}
