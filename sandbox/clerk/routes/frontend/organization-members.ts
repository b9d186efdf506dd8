import type { Router, RouterContext } from '@koa/router'
import { z } from 'zod'
import { createInvitations, revokeInvitation } from '../../entities/invitation.ts'
import { invitationStatus } from '../../entities/invitation-status.ts'
import { changeRole, createMembership, findMembership, removeMember } from '../../entities/membership.ts'
import { primaryEmailAddress, userLabel } from '../../entities/user.ts'
import { notFound } from '../../errors.ts'
import type { Service } from '../../service.ts'
import type { Organization } from '../../state.ts'
import {
  emailField,
  newestFirst,
  oneOrMany,
  page,
  pageQuery,
  readForm,
  readQuery,
  roleField,
} from '../../wire/form.ts'
import { frontendInvitation } from '../../wire/invitation.ts'
import { frontendMembership } from '../../wire/membership.ts'
import { requireAdmin, requireMember, respond } from './browser.ts'

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
  router.get('/v1/organizations/:organizationId/memberships', async (ctx) => {
    const { organization } = requireMember(service, ctx)
    const query = readQuery(ctx, membersQuery)
    const found = service.store.memberships.filter(
      (row) =>
        row.organization_id === organization.id &&
        (!query.role || query.role.includes(row.role)) &&
        isNamedLike(service, row.user_id, query.query),
    )
    await respond(
      service,
      ctx,
      page(newestFirst(found), query, (row) => frontendMembership(service, row)),
    )
  })

  router.post('/v1/organizations/:organizationId/memberships', async (ctx) => {
    const { organization } = requireAdmin(service, ctx)
    const form = readForm(ctx, memberForm)
    const user = service.store.users.get(form.user_id)
    if (!user) throw notFound('User')
    const membership = createMembership(service, { organization, user, role: form.role })
    await respond(service, ctx, frontendMembership(service, membership))
  })

  router.patch('/v1/organizations/:organizationId/memberships/:userId', async (ctx) => {
    const { organization } = requireAdmin(service, ctx)
    const membership = requireMembership(service, ctx, organization)
    const changed = changeRole(service, membership, readForm(ctx, roleForm).role)
    await respond(service, ctx, frontendMembership(service, changed))
  })

  router.delete('/v1/organizations/:organizationId/memberships/:userId', async (ctx) => {
    const { organization } = requireAdmin(service, ctx)
    const membership = requireMembership(service, ctx, organization)
    const last = frontendMembership(service, membership)
    removeMember(service, membership)
    await respond(service, ctx, last)
  })

  router.get('/v1/organizations/:organizationId/invitations', async (ctx) => {
    const { organization } = requireAdmin(service, ctx)
    const query = readQuery(ctx, invitationsQuery)
    const found = service.store.invitations.filter(
      (row) =>
        row.organization_id === organization.id &&
        (!query.status || query.status.includes(invitationStatus(service, row))),
    )
    await respond(
      service,
      ctx,
      page(newestFirst(found), query, (row) => frontendInvitation(service, row)),
    )
  })

  router.post('/v1/organizations/:organizationId/invitations', async (ctx) => {
    const { organization, user } = requireAdmin(service, ctx)
    const { email_address: emailAddress, role } = readForm(ctx, invitationForm)
    const [invitation] = createInvitations(service, organization, [
      { emailAddress, role, inviterUserId: user.id },
    ])
    await respond(service, ctx, invitation && frontendInvitation(service, invitation))
  })

  router.post('/v1/organizations/:organizationId/invitations/bulk', async (ctx) => {
    const { organization, user } = requireAdmin(service, ctx)
    const { email_address, role } = readForm(ctx, bulkForm)
    const wanted = email_address.map((emailAddress) => ({ emailAddress, role, inviterUserId: user.id }))
    await respond(
      service,
      ctx,
      createInvitations(service, organization, wanted).map((row) => frontendInvitation(service, row)),
    )
  })

  router.post('/v1/organizations/:organizationId/invitations/:invitationId/revoke', async (ctx) => {
    const { organization } = requireAdmin(service, ctx)
    const invitation = service.store.invitations.get(ctx.params.invitationId)
    if (!invitation || invitation.organization_id !== organization.id)
      throw notFound('Organization invitation')
    await respond(service, ctx, frontendInvitation(service, revokeInvitation(service, invitation)))
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
