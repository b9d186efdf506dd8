import type { Router } from '@koa/router'
import { z } from 'zod'
import { isVerified } from '../../entities/email-address.ts'
import { acceptInvitation } from '../../entities/invitation.ts'
import { invitationStatus } from '../../entities/invitation-status.ts'
import { findMembership, removeMember } from '../../entities/membership.ts'
import { notFound } from '../../errors.ts'
import type { Service } from '../../service.ts'
import type { OrganizationInvitation, User } from '../../state.ts'
import { oneOrMany, page, pageQuery, readQuery } from '../../wire/form.ts'
import { invitationForInvitee } from '../../wire/invitation.ts'
import { frontendMembership } from '../../wire/membership.ts'
import { callsOf, requireSession } from './browser.ts'

const invitationQuery = pageQuery.extend({ status: oneOrMany(z.string()).optional() })

export function myOrganizationRoutes(router: Router, service: Service): void {
  const call = callsOf(router, service)

  call('GET /v1/me/organization_memberships', (ctx) => {
    const { user } = requireSession(service, ctx)
    const mine = service.store.memberships.filter((row) => row.user_id === user.id)
    const shown = page(mine, readQuery(ctx, pageQuery), (row) => frontendMembership(service, row))
    return shown
  })

  call('DELETE /v1/me/organization_memberships/:organizationId', (ctx) => {
    const { user } = requireSession(service, ctx)
    const { organizationId } = ctx.params
    const membership = organizationId && findMembership(service, { organizationId, userId: user.id })
    if (!membership) throw notFound('Organization membership')
    removeMember(service, membership)
    return { object: 'organization_membership', id: membership.id, deleted: true }
  })

  call('GET /v1/me/organization_invitations', (ctx) => {
    const { user } = requireSession(service, ctx)
    const query = readQuery(ctx, invitationQuery)
    const mine = invitationsFor(service, user).filter(
      (row) => !query.status || query.status.includes(invitationStatus(service, row)),
    )
    return page(mine, query, (row) => invitationForInvitee(service, row))
  })

  call('POST /v1/me/organization_invitations/:id/accept', (ctx) => {
    const { user } = requireSession(service, ctx)
    const invitation = invitationsFor(service, user).find((row) => row.id === ctx.params.id)
    if (!invitation) throw notFound('Organization invitation')
    return invitationForInvitee(service, acceptInvitation(service, invitation, user))
  })

  // Suggestions come from verified domains, of which the sandbox has none.
  call('GET /v1/me/organization_suggestions', (ctx) => {
    requireSession(service, ctx)
    return { data: [], total_count: 0 }
  })
}

function invitationsFor(service: Service, user: User): OrganizationInvitation[] {
  const addresses = user.email_addresses.filter(isVerified).map((row) => row.email_address)
  return service.store.invitations.filter((row) => addresses.includes(row.email_address))
}
