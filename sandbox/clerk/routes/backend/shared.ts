import type { RouterContext } from '@koa/router'
import { findMembership } from '../../entities/membership.ts'
import { findOrganization } from '../../entities/organization.ts'
import { notFound } from '../../errors.ts'
import type { Service } from '../../service.ts'
import type { Organization, OrganizationMembership, User } from '../../state.ts'

/** The backend API answers with the bare object. */
export function answer(work: (ctx: RouterContext) => object | Promise<object>) {
  return async (ctx: RouterContext) => {
    ctx.body = await work(ctx)
  }
}

/** The objects that a path names; one that does not exist is a 404. */
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
