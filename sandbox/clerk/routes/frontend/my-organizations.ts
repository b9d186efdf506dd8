import { Router } from '@koa/router'
import { z } from 'zod'
import type { Clerk } from '../../clerk.ts'
import { isVerified } from '../../entities/email-address.ts'
import { acceptInvitation, invitationStatus, type OrganizationInvitation } from '../../entities/invitation.ts'
import { findMembership, removeMember } from '../../entities/membership.ts'
import type { User } from '../../entities/user.ts'
import { notFound } from '../../errors.ts'
import { invitationForInvitee } from '../../wire/invitation.ts'
import { frontendMembership } from '../../wire/membership.ts'
import { oneOrMany, readQuery } from '../form.ts'
import { newestFirst, page, pageQuery } from '../page.ts'
import { requireSession, respond } from './browser.ts'

const invitationQuery = pageQuery.extend({ status: oneOrMany(z.string()).optional() })

export function myOrganizationRoutes(clerk: Clerk): Router {
  const router = new Router({ prefix: '/v1/me' })

  router.get('/organization_memberships', async (ctx) => {
    const { user } = requireSession(clerk, ctx)
    const mine = clerk.store.memberships.filter((row) => row.user_id === user.id)
    const shown = page(newestFirst(mine), readQuery(ctx, pageQuery), (row) => frontendMembership(clerk, row))
    await respond(clerk, ctx, shown)
  })

  router.delete('/organization_memberships/:organizationId', async (ctx) => {
    const { user } = requireSession(clerk, ctx)
    const { organizationId } = ctx.params
    const membership = organizationId && findMembership(clerk, { organizationId, userId: user.id })
    if (!membership) throw notFound('Organization membership')
    removeMember(clerk, membership)
    await respond(clerk, ctx, { object: 'organization_membership', id: membership.id, deleted: true })
  })

  router.get('/organization_invitations', async (ctx) => {
    const { user } = requireSession(clerk, ctx)
    const query = readQuery(ctx, invitationQuery)
    const mine = invitationsFor(clerk, user).filter(
      (row) => !query.status || query.status.includes(invitationStatus(row)),
    )
    await respond(
      clerk,
      ctx,
      page(newestFirst(mine), query, (row) => invitationForInvitee(clerk, row)),
    )
  })

  router.post('/organization_invitations/:id/accept', async (ctx) => {
    const { user } = requireSession(clerk, ctx)
    const invitation = invitationsFor(clerk, user).find((row) => row.id === ctx.params.id)
    if (!invitation) throw notFound('Organization invitation')
    await respond(clerk, ctx, invitationForInvitee(clerk, acceptInvitation(clerk, invitation, user)))
  })

  // Suggestions come from verified domains, which the stand-in has none of.
  router.get('/organization_suggestions', async (ctx) => {
    requireSession(clerk, ctx)
    await respond(clerk, ctx, { data: [], total_count: 0 })
  })

  return router
}

function invitationsFor(clerk: Clerk, user: User): OrganizationInvitation[] {
  const addresses = user.email_addresses.filter(isVerified).map((row) => row.email_address)
  return clerk.store.invitations.filter((row) => addresses.includes(row.email_address))
}
