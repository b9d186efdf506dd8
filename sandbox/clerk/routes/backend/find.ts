import type { RouterContext } from '@koa/router'
import { findMembership, type OrganizationMembership } from '../../entities/membership.ts'
import { findOrganization, type Organization } from '../../entities/organization.ts'
import type { User } from '../../entities/user.ts'
import { notFound } from '../../errors.ts'
import type { Service } from '../../service.ts'

/** The objects that a path names; one that is not there answers 404. */
export function requireUser(service: Service, ctx: RouterContext): User {
  const user = service.store.users.get(ctx.params.userId)
  if (!user) throw notFound('User')
  return user
}

export function requireOrganization(service: Service, ctx: RouterContext): Organization {
  const organization = findOrganization(service, ctx.params.organizationId ?? '')
  if (!organization) throw notFound('Organization')
  return organization
}

export function requireMembership(service: Service, ctx: RouterContext): OrganizationMembership {
  const organization = requireOrganization(service, ctx)
  const { userId } = ctx.params
  const membership = userId && findMembership(service, { organizationId: organization.id, userId })
  if (!membership) throw notFound('Organization membership')
  return membership
}
