import type { Router } from '@koa/router'
import { z } from 'zod'
import { isVerified } from '../../entities/email-address.ts'
import { acceptInvitation } from '../../entities/invitation.ts'
import { invitationStatus } from '../../entities/invitation-status.ts'
import { findMembership, removeMember } from '../../entities/membership.ts'
import { notFound } from '../../errors.ts'
import type { Service } from '../../service.ts'
import type { OrganizationInvitation, User } from '../../state.ts'
import { newestFirst, oneOrMany, page, pageQuery, readQuery } from '../../wire/form.ts'
import { invitationForInvitee } from '../../wire/invitation.ts'
import { frontendMembership } from '../../wire/membership.ts'
import { requireSession, respond } from './browser.ts'

const invitationQuery = pageQuery.extend({ status: oneOrMany(z.string()).optional() })

export function myOrganizationRoutes(router: Router, service: Service): void {
  router.get('/v1/me/organization_memberships', async (ctx) => {
    const { user } = requireSession(service, ctx)
    const mine = service.store.memberships.filter((row) => row.user_id === user.id)
    const shown = page(newestFirst(mine), readQuery(ctx, pageQuery), (row) =>
      frontendMembership(service, row),
    )
    await respond(service, ctx, shown)
  })

  router.delete('/v1/me/organization_memberships/:organizationId', async (ctx) => {
    const { user } = requireSession(service, ctx)
    const { organizationId } = ctx.params
    const membership = organizationId && findMembership(service, { organizationId, userId: user.id })
    if (!membership) throw notFound('Organization membership')
    removeMember(service, membership)
    await respond(service, ctx, { object: 'organization_membership', id: membership.id, deleted: true })
  })

  router.get('/v1/me/organization_invitations', async (ctx) => {
    const { user } = requireSession(service, ctx)
    const query = readQuery(ctx, invitationQuery)
    const mine = invitationsFor(service, user).filter(
      (row) => !query.status || query.status.includes(invitationStatus(service, row)),
    )
    await respond(
      service,
      ctx,
      page(newestFirst(mine), query, (row) => invitationForInvitee(service, row)),
    )
  })

  router.post('/v1/me/organization_invitations/:id/accept', async (ctx) => {
    const { user } = requireSession(service, ctx)
    const invitation = invitationsFor(service, user).find((row) => row.id === ctx.params.id)
    if (!invitation) throw notFound('Organization invitation')
    await respond(service, ctx, invitationForInvitee(service, acceptInvitation(service, invitation, user)))
  })

  // Suggestions come from verified domains, of which the sandbox has none.
  router.get('/v1/me/organization_suggestions', async (ctx) => {
    requireSession(service, ctx)
    await respond(service, ctx, { data: [], total_count: 0 })
  })
}

function invitationsFor(service: Service, user: User): OrganizationInvitation[] {
  const addresses = user.email_addresses.filter(isVerified).map((row) => row.email_address)
  return service.store.invitations.filter((row) => addresses.includes(row.email_address))
}
