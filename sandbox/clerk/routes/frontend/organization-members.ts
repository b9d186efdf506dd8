import type { Router, RouterContext } from '@koa/router'
import { z } from 'zod'
import { createInvitations, revokeInvitation } from '../../entities/invitation.ts'
import { invitationStatus } from '../../entities/invitation-status.ts'
import { changeRole, createMembership, findMembership, removeMember } from '../../entities/membership.ts'
import { primaryEmailAddress, userLabel } from '../../entities/user.ts'
import { notFound } from '../../errors.ts'
import type { Service } from '../../service.ts'
import type { Organization } from '../../state.ts'
import { emailField, oneOrMany, page, pageQuery, readForm, readQuery, roleField } from '../../wire/form.ts'
import { frontendInvitation } from '../../wire/invitation.ts'
import { frontendMembership } from '../../wire/membership.ts'
import { callsOf, requireAdmin, requireMember } from './browser.ts'

const INVITATIONS_MAX = 10
const membersQuery = pageQuery.extend({
  role: oneOrMany(z.string()).optional(),
  query: z.string().max(256).optional(),
})
const invitationsQuery = pageQuery.extend({ status: oneOrMany(z.string()).optional() })
const memberForm = z.object({ user_id: z.string().max(64), role: roleField })
const roleForm = z.object({ role: roleField })
const invitationForm = z.object({ email_address: emailField, role: roleField })
const bulkForm = z.object({
  // The form sends an empty address after a comma.
  email_address: oneOrMany(z.string())
    .transform((addresses) => addresses.filter((address) => address.trim() !== ''))
    .pipe(z.array(emailField).min(1).max(INVITATIONS_MAX)),
  role: roleField,
})

export function organizationMemberRoutes(router: Router, service: Service): void {
  const call = callsOf(router, service)

  call('GET /v1/organizations/:organizationId/memberships', (ctx) => {
    const { organization } = requireMember(service, ctx)
    const query = readQuery(ctx, membersQuery)
    const found = service.store.memberships.filter(
      (row) =>
        row.organization_id === organization.id &&
        (!query.role || query.role.includes(row.role)) &&
        isNamedLike(service, row.user_id, query.query),
    )
    return page(found, query, (row) => frontendMembership(service, row))
  })

  call('POST /v1/organizations/:organizationId/memberships', (ctx) => {
    const { organization } = requireAdmin(service, ctx)
    const form = readForm(ctx, memberForm)
    const user = service.store.users.get(form.user_id)
    if (!user) throw notFound('User')
    const membership = createMembership(service, { organization, user, role: form.role })
    return frontendMembership(service, membership)
  })

  call('PATCH /v1/organizations/:organizationId/memberships/:userId', (ctx) => {
    const { organization } = requireAdmin(service, ctx)
    const membership = requireMembership(service, ctx, organization)
    const changed = changeRole(service, membership, readForm(ctx, roleForm).role)
    return frontendMembership(service, changed)
  })

  call('DELETE /v1/organizations/:organizationId/memberships/:userId', (ctx) => {
    const { organization } = requireAdmin(service, ctx)
    const membership = requireMembership(service, ctx, organization)
    const last = frontendMembership(service, membership)
    removeMember(service, membership)
    return last
  })

  call('GET /v1/organizations/:organizationId/invitations', (ctx) => {
    const { organization } = requireAdmin(service, ctx)
    const query = readQuery(ctx, invitationsQuery)
    const found = service.store.invitations.filter(
      (row) =>
        row.organization_id === organization.id &&
        (!query.status || query.status.includes(invitationStatus(service, row))),
    )
    return page(found, query, (row) => frontendInvitation(service, row))
  })

  call('POST /v1/organizations/:organizationId/invitations', (ctx) => {
    const { organization, user } = requireAdmin(service, ctx)
    const { email_address: emailAddress, role } = readForm(ctx, invitationForm)
    const [invitation] = createInvitations(service, organization, [
      { emailAddress, role, inviterUserId: user.id },
    ])
    return invitation && frontendInvitation(service, invitation)
  })

  call('POST /v1/organizations/:organizationId/invitations/bulk', (ctx) => {
    const { organization, user } = requireAdmin(service, ctx)
    const { email_address, role } = readForm(ctx, bulkForm)
    const wanted = email_address.map((emailAddress) => ({ emailAddress, role, inviterUserId: user.id }))
    return createInvitations(service, organization, wanted).map((row) => frontendInvitation(service, row))
  })

  call('POST /v1/organizations/:organizationId/invitations/:invitationId/revoke', (ctx) => {
    const { organization } = requireAdmin(service, ctx)
    const invitation = service.store.invitations.get(ctx.params.invitationId)
    if (!invitation || invitation.organization_id !== organization.id)
      throw notFound('Organization invitation')
    return frontendInvitation(service, revokeInvitation(service, invitation))
  })
}

function requireMembership(service: Service, ctx: RouterContext, organization: Organization) {
  const { userId } = ctx.params
  const membership = userId && findMembership(service, { organizationId: organization.id, userId })
  if (!membership) throw notFound('Organization membership')
  return membership
}

function isNamedLike(service: Service, userId: string, query: string | undefined): boolean {
  if (!query) return true
  const user = service.store.users.get(userId)
  const text = user ? `${userLabel(user)} ${primaryEmailAddress(user)}` : ''
  return text.toLowerCase().includes(query.trim().toLowerCase())
}
