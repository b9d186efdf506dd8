import { Router } from '@koa/router'
import { z } from 'zod'
import type { Clerk } from '../../clerk.ts'
import { activeSessions } from '../../entities/client.ts'
import { findUserByEmailAddress } from '../../entities/email-address.ts'
import { acceptInvitation, invitationStatus } from '../../entities/invitation.ts'
import { ClerkError } from '../../errors.ts'
import { readQuery } from '../form.ts'
import { findClient } from './browser.ts'

const ticketQuery = z.object({ ticket: z.string().max(512) })

/** The link in an invitation mail: sends the browser on to the application, which is told what is to be done there. */
export function ticketRoutes(clerk: Clerk): Router {
  const router = new Router()

  router.get('/v1/tickets/accept', async (ctx) => {
    const { ticket } = readQuery(ctx, ticketQuery)
    const invitation = clerk.store.invitations.find((row) => row.ticket === ticket)
    if (!invitation || invitationStatus(invitation) !== 'pending') {
      throw new ClerkError(400, {
        code: 'ticket_invalid',
        message: 'This invitation link is not valid any more.',
      })
    }
    const user = findUserByEmailAddress(clerk, invitation.email_address)
    const client = findClient(clerk, ctx)
    const isSignedIn = Boolean(
      user && client && activeSessions(clerk, client).some((row) => row.user_id === user.id),
    )
    if (user && isSignedIn) {
      acceptInvitation(clerk, invitation, user)
      await clerk.store.save()
    }
    const status = isSignedIn ? 'complete' : user ? 'sign_in' : 'sign_up'
    const fallback = `${clerk.settings.origin}/${status === 'sign_up' ? 'sign-up' : 'sign-in'}`
    const target = new URL(invitation.redirect_url ?? fallback, clerk.settings.origin)
    target.searchParams.set('__clerk_status', status)
    if (status !== 'complete') target.searchParams.set('__clerk_ticket', ticket)
    ctx.redirect(target.href)
  })

  return router
}
