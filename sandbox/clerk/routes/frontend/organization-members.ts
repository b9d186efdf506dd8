import { Router, type RouterContext } from '@koa/router'
import { z } from 'zod'
import type { Clerk } from '../../clerk.ts'
import { createInvitations, invitationStatus, revokeInvitation } from '../../entities/invitation.ts'
import { changeRole, createMembership, findMembership, removeMember } from '../../entities/membership.ts'
import type { Organization } from '../../entities/organization.ts'
import { primaryEmailAddress } from '../../entities/user.ts'
import { notFound } from '../../errors.ts'
import { frontendInvitation } from '../../wire/invitation.ts'
import { frontendMembership } from '../../wire/membership.ts'
import { userLabel } from '../../wire/user.ts'
import { emailField, oneOrMany, readForm, readQuery, roleField } from '../form.ts'
import { newestFirst, page, pageQuery } from '../page.ts'
import { respond } from './browser.ts'
import { requireAdmin, requireMember } from './member.ts'

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
  // The form sends a blank one after a comma.
  email_address: oneOrMany(z.string())
    .transform((addresses) => addresses.filter((address) => address.trim() !== ''))
    .pipe(z.array(emailField).min(1).max(INVITATIONS_MAX)),
  role: roleField,
})

export function organizationMemberRoutes(clerk: Clerk): Router {
  const router = new Router({ prefix: '/v1/organizations/:organizationId' })

  router.get('/memberships', async (ctx) => {
    const { organization } = requireMember(clerk, ctx)
    const query = readQuery(ctx, membersQuery)
    const found = clerk.store.memberships.filter(
      (row) =>
        row.organization_id === organization.id &&
        (!query.role || query.role.includes(row.role)) &&
        isNamedLike(clerk, row.user_id, query.query),
    )
    await respond(
      clerk,
      ctx,
      page(newestFirst(found), query, (row) => frontendMembership(clerk, row)),
    )
  })

  router.post('/memberships', async (ctx) => {
    const { organization } = requireAdmin(clerk, ctx)
    const form = readForm(ctx, memberForm)
    const user = clerk.store.users.get(form.user_id)
    if (!user) throw notFound('User')
    const membership = createMembership(clerk, { organization, user, role: form.role })
    await respond(clerk, ctx, frontendMembership(clerk, membership))
  })

  router.patch('/memberships/:userId', async (ctx) => {
    const { organization } = requireAdmin(clerk, ctx)
    const membership = requireMembership(clerk, ctx, organization)
    changeRole(clerk, membership, readForm(ctx, roleForm).role)
    await respond(clerk, ctx, frontendMembership(clerk, membership))
  })

  router.delete('/memberships/:userId', async (ctx) => {
    const { organization } = requireAdmin(clerk, ctx)
    const membership = requireMembership(clerk, ctx, organization)
    const last = frontendMembership(clerk, membership)
    removeMember(clerk, membership)
    await respond(clerk, ctx, last)
  })

  router.get('/invitations', async (ctx) => {
    const { organization } = requireAdmin(clerk, ctx)
    const query = readQuery(ctx, invitationsQuery)
    const found = clerk.store.invitations.filter(
      (row) =>
        row.organization_id === organization.id &&
        (!query.status || query.status.includes(invitationStatus(row))),
    )
    await respond(clerk, ctx, page(newestFirst(found), query, frontendInvitation))
  })

  router.post('/invitations', async (ctx) => {
    const { organization, user } = requireAdmin(clerk, ctx)
    const { email_address: emailAddress, role } = readForm(ctx, invitationForm)
    const [invitation] = createInvitations(clerk, organization, [
      { emailAddress, role, inviterUserId: user.id },
    ])
    await respond(clerk, ctx, invitation && frontendInvitation(invitation))
  })

  router.post('/invitations/bulk', async (ctx) => {
    const { organization, user } = requireAdmin(clerk, ctx)
    const { email_address, role } = readForm(ctx, bulkForm)
    const wanted = email_address.map((emailAddress) => ({ emailAddress, role, inviterUserId: user.id }))
    await respond(clerk, ctx, createInvitations(clerk, organization, wanted).map(frontendInvitation))
  })

  router.post('/invitations/:invitationId/revoke', async (ctx) => {
    const { organization } = requireAdmin(clerk, ctx)
    const invitation = clerk.store.invitations.get(ctx.params.invitationId)
    if (!invitation || invitation.organization_id !== organization.id)
      throw notFound('Organization invitation')
    await respond(clerk, ctx, frontendInvitation(revokeInvitation(clerk, invitation)))
  })

  return router
}

function requireMembership(clerk: Clerk, ctx: RouterContext, organization: Organization) {
  const { userId } = ctx.params
  const membership = userId && findMembership(clerk, { organizationId: organization.id, userId })
  if (!membership) throw notFound('Organization membership')
  return membership
}

function isNamedLike(clerk: Clerk, userId: string, query: string | undefined): boolean {
  if (!query) return true
  const user = clerk.store.users.get(userId)
  const text = user ? `${userLabel(user)} ${primaryEmailAddress(user)}` : ''
  return text.toLowerCase().includes(query.trim().toLowerCase())
}
