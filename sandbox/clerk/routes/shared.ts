import type { Router, RouterContext } from '@koa/router'
import { z } from 'zod'
import { findMembership, invitationStatus } from '../entities/membership.ts'
import { findOrganization } from '../entities/organization.ts'
import { userLabel } from '../entities/user.ts'
import { notFound } from '../errors.ts'
import type { Service } from '../service.ts'
import type { Organization, OrganizationInvitation, OrganizationMembership, User } from '../state.ts'
import { oneOrMany, page, pageQuery, readQuery } from '../wire/form.ts'

type Method = 'DELETE' | 'GET' | 'PATCH' | 'POST'

/** Adds calls to a router; the backend API answers with the bare object. */
export function callsOf(router: Router) {
  return (name: `${Method} /${string}`, work: (ctx: RouterContext) => unknown): void => {
    const [method = '', path = ''] = name.split(' ')
    router.register(`/bapi/v1${path}`, [method], async (ctx) => {
      ctx.body = await work(ctx)
    })
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

export function requireMembership(
  service: Service,
  ctx: RouterContext,
  organization = requireOrganization(service, ctx),
): OrganizationMembership {
  const { userId } = ctx.params
  const membership = userId && findMembership(service, { organizationId: organization.id, userId })
  if (!membership) throw notFound('Organization membership')
  return membership
}

export function requireInvitation(
  { store }: Service,
  ctx: RouterContext,
  organization: Organization,
): OrganizationInvitation {
  const invitation = store.invitations.get(ctx.params.invitationId)
  if (invitation?.organization_id === organization.id) return invitation
  throw notFound('Organization invitation')
}

const invitationQuery = pageQuery.extend({ status: oneOrMany(z.string()).optional() })

/** One page of invitations, by their status where one is asked for. */
export function pageOfInvitations<Shown>(
  service: Service,
  ctx: RouterContext,
  invitations: readonly OrganizationInvitation[],
  show: (service: Service, row: OrganizationInvitation) => Shown,
) {
  const query = readQuery(ctx, invitationQuery)
  const found = invitations.filter(
    (row) => !query.status || query.status.includes(invitationStatus(service, row)),
  )
  return page(found, query, (row) => show(service, row))
}

export function invitationsTo({ store }: Service, { id }: Organization): OrganizationInvitation[] {
  return store.invitations.filter((row) => row.organization_id === id)
}

const values = oneOrMany(z.string().max(256)).optional()

export const userQuery = pageQuery.extend({
  email_address: values,
  user_id: values,
  query: z.string().max(256).optional(),
})

/** Filters are joined by AND, the values of one filter by OR. */
export function usersMatching(
  service: Service,
  { email_address, user_id, query }: Omit<z.output<typeof userQuery>, 'limit' | 'offset'>,
): User[] {
  const addresses = email_address?.map((row) => row.toLowerCase())
  const text = query?.toLowerCase()
  return service.store.users.filter((user) => {
    const own = user.email_addresses.map((row) => row.email_address)
    return (
      (!addresses || addresses.some((address) => own.includes(address))) &&
      (!user_id || user_id.includes(user.id)) &&
      (!text || [user.id, userLabel(user), ...own].some((one) => one.toLowerCase().includes(text)))
    )
  })
}
