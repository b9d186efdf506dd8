import type { Router } from '@koa/router'
import { z } from 'zod'
import { isVerified } from '../../entities/email-address.ts'
import {
  acceptInvitation,
  changeRole,
  createInvitations,
  findMembership,
  removeMember,
  revokeInvitation,
} from '../../entities/membership.ts'
import { createOrganization, deleteOrganization, updateOrganization } from '../../entities/organization.ts'
import { roles } from '../../entities/role.ts'
import { primaryEmailAddress, userLabel } from '../../entities/user.ts'
import { notFound } from '../../errors.ts'
import type { Service } from '../../service.ts'
import type { OrganizationInvitation, User } from '../../state.ts'
import {
  emailField,
  nameField,
  oneOrMany,
  page,
  pageQuery,
  readForm,
  readQuery,
  roleField,
  slugField,
} from '../../wire/form.ts'
import {
  deletedOrganization,
  frontendInvitation,
  frontendMembership,
  frontendOrganization,
  invitationForInvitee,
} from '../../wire/organization.ts'
import { invitationsTo, pageOfInvitations, requireInvitation, requireMembership } from '../shared.ts'
import { callsOf, requireAdmin, requireMember, requireSession } from './browser.ts'

const newForm = z.object({ name: nameField.min(1), slug: slugField.optional() })
const changeForm = z.object({ name: nameField.min(1).optional(), slug: slugField.optional() })

export function organizationRoutes(router: Router, service: Service): void {
  const call = callsOf(router, service)

  call('POST /v1/organizations', (ctx) => {
    const { user } = requireSession(service, ctx)
    const { name, slug } = readForm(ctx, newForm)
    const organization = createOrganization(service, { name, slug, creator: user })
    return frontendOrganization(service, organization)
  })

  call('GET /v1/organizations/:organizationId', (ctx) =>
    frontendOrganization(service, requireMember(service, ctx).organization),
  )

  call('PATCH /v1/organizations/:organizationId', (ctx) => {
    const { organization } = requireAdmin(service, ctx)
    const { name, slug } = readForm(ctx, changeForm)
    const changes = { ...(name && { name }), ...(slug && { slug }) }
    return frontendOrganization(service, updateOrganization(service, organization, changes))
  })

  call('DELETE /v1/organizations/:organizationId', (ctx) => {
    const { organization } = requireAdmin(service, ctx)
    deleteOrganization(service, organization)
    return deletedOrganization(organization)
  })

  call('GET /v1/organizations/:organizationId/roles', (ctx) => {
    requireMember(service, ctx)
    const data = Object.values(roles).map(roleFields)
    return { data, total_count: data.length, has_role_set_migration: false }
  })

  for (const list of ['domains', 'membership_requests']) {
    call(`GET /v1/organizations/:organizationId/${list}`, (ctx) => {
      requireMember(service, ctx)
      return { data: [], total_count: 0 }
    })
  }
}

function roleFields(role: (typeof roles)[keyof typeof roles]) {
  return {
    object: 'role',
    id: `role_${role.key.slice(4)}`,
    key: role.key,
    name: role.name,
    description: role.description,
    is_creator_eligible: role.key === 'org:admin',
    created_at: 0,
    updated_at: 0,
    permissions: role.permissions.map((key) => ({
      object: 'permission',
      id: `perm_${key}`,
      key,
      name: key,
      description: '',
      type: 'system',
      created_at: 0,
      updated_at: 0,
    })),
  }
}

const INVITATIONS_MAX = 10
const membersQuery = pageQuery.extend({
  role: oneOrMany(z.string()).optional(),
  query: z.string().max(256).optional(),
})
const roleForm = z.object({ role: roleField })
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
    return pageOfInvitations(service, ctx, invitationsTo(service, organization), frontendInvitation)
  })

  call('POST /v1/organizations/:organizationId/invitations/bulk', (ctx) => {
    const { organization, user } = requireAdmin(service, ctx)
    const { email_address, role } = readForm(ctx, bulkForm)
    const common = { role, inviter_user_id: user.id }
    const wanted = email_address.map((address) => ({ ...common, email_address: address }))
    return createInvitations(service, organization, wanted).map((row) => frontendInvitation(service, row))
  })

  call('POST /v1/organizations/:organizationId/invitations/:invitationId/revoke', (ctx) => {
    const { organization } = requireAdmin(service, ctx)
    const invitation = requireInvitation(service, ctx, organization)
    return frontendInvitation(service, revokeInvitation(service, invitation))
  })
}

function isNamedLike(service: Service, userId: string, query: string | undefined): boolean {
  if (!query) return true
  const user = service.store.users.get(userId)
  const text = user ? `${userLabel(user)} ${primaryEmailAddress(user)}` : ''
  return text.toLowerCase().includes(query.trim().toLowerCase())
}

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
    return pageOfInvitations(service, ctx, invitationsFor(service, user), invitationForInvitee)
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
