import type { Router } from '@koa/router'
import { z } from 'zod'
import { findUserByEmailAddress } from '../entities/email-address.ts'
import { acceptInvitation, invitationByTicket } from '../entities/invitation.ts'
import { activeSessions } from '../entities/session.ts'
import { findClient } from '../routes/frontend/browser.ts'
import type { Service } from '../service.ts'
import { readQuery } from '../wire/form.ts'

const ticketQuery = z.object({ ticket: z.string().max(512) })

/** The link in an invitation mail, which redirects to the application with the ticket in the query. */
export function invitationLinkRoutes(router: Router, service: Service): void {
  router.get('/v1/tickets/accept', (ctx) => {
    const { ticket } = readQuery(ctx, ticketQuery)
    const invitation = invitationByTicket(service, ticket)
    const user = findUserByEmailAddress(service, invitation.email_address)
    const client = findClient(service, ctx)
    const isSignedIn = Boolean(
      user && client && activeSessions(service, client).some((row) => row.user_id === user.id),
    )
    if (user && isSignedIn) acceptInvitation(service, invitation, user)
    const status = isSignedIn ? 'complete' : user ? 'sign_in' : 'sign_up'
    const fallback = `${service.settings.origin}/${status === 'sign_up' ? 'sign-up' : 'sign-in'}`
    const target = new URL(invitation.redirect_url ?? fallback, service.settings.origin)
    target.searchParams.set('__clerk_status', status)
    if (status !== 'complete') target.searchParams.set('__clerk_ticket', ticket)
    ctx.redirect(target.href)
  })
}
