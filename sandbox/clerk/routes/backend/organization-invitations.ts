import type { Router, RouterContext } from '@koa/router'
import { z } from 'zod'
import { resourceRoutes } from '../../../kit/resource.ts'
import { createInvitations, type NewInvitation, revokeInvitation } from '../../entities/invitation.ts'
import { invitationStatus } from '../../entities/invitation-status.ts'
import { notFound } from '../../errors.ts'
import type { Service } from '../../service.ts'
import {
  emailField,
  metadataField,
  newestFirst,
  oneOrMany,
  page,
  pageQuery,
  readForm,
  readQuery,
  roleField,
} from '../../wire/form.ts'
import { backendInvitation } from '../../wire/invitation.ts'
import { answer, requireOrganization } from './shared.ts'

const listQuery = pageQuery.extend({ status: oneOrMany(z.string()).optional() })
const newForm = z.object({
  email_address: emailField,
  role: roleField,
  inviter_user_id: z.string().max(64).nullish(),
  redirect_url: z.url({ protocol: /^https?$/ }).nullish(),
  expires_in_days: z.number().int().min(1).max(365).optional(),
  public_metadata: metadataField,
  private_metadata: metadataField,
})

export function backendInvitationRoutes(router: Router, service: Service): void {
  resourceRoutes(router, {
    path: '/bapi/v1/organizations/:organizationId/invitations',
    id: ':invitationId',
    handle: answer,
    find: (ctx) => requireInvitation(service, ctx),
    show: (invitation) => backendInvitation(service, invitation),
    list: (ctx) => {
      const organization = requireOrganization(service, ctx)
      const query = readQuery(ctx, listQuery)
      const found = service.store.invitations.filter(
        (row) =>
          row.organization_id === organization.id &&
          (!query.status || query.status.includes(invitationStatus(service, row))),
      )
      return page(newestFirst(found), query, (row) => backendInvitation(service, row))
    },
  })

  router.post('/bapi/v1/organizations/:organizationId/invitations', (ctx) => {
    service.quotas.invitations.count(service.nowMs())
    const organization = requireOrganization(service, ctx)
    const [invitation] = createInvitations(service, organization, [
      toInvitation(service, readForm(ctx, newForm)),
    ])
    ctx.body = invitation && backendInvitation(service, invitation)
  })

  router.post('/bapi/v1/organizations/:organizationId/invitations/:invitationId/revoke', (ctx) => {
    ctx.body = backendInvitation(service, revokeInvitation(service, requireInvitation(service, ctx)))
  })
}

function toInvitation(service: Service, form: z.output<typeof newForm>): NewInvitation {
  if (form.inviter_user_id && !service.store.users.get(form.inviter_user_id)) throw notFound('User')
  return {
    emailAddress: form.email_address,
    role: form.role,
    inviterUserId: form.inviter_user_id ?? null,
    redirectUrl: form.redirect_url,
    expiresInDays: form.expires_in_days,
    publicMetadata: form.public_metadata,
    privateMetadata: form.private_metadata,
  }
}

function requireInvitation(service: Service, ctx: RouterContext) {
  const organization = requireOrganization(service, ctx)
  const invitation = service.store.invitations.get(ctx.params.invitationId)
  if (!invitation || invitation.organization_id !== organization.id) throw notFound('Organization invitation')
  return invitation
}
