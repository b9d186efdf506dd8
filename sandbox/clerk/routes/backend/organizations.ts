import type { Router, RouterContext } from '@koa/router'
import { z } from 'zod'
import { defined } from '../../../kit/defined.ts'
import {
  changeRole,
  createInvitations,
  createMembership,
  removeMember,
  revokeInvitation,
} from '../../entities/membership.ts'
import { createOrganization, deleteOrganization, updateOrganization } from '../../entities/organization.ts'
import { notFound } from '../../errors.ts'
import type { Service } from '../../service.ts'
import {
  booleanField,
  emailField,
  metadataField,
  nameField,
  page,
  pageQuery,
  readForm,
  readQuery,
  roleField,
  slugField,
} from '../../wire/form.ts'
import {
  backendInvitation,
  backendMembership,
  backendOrganization,
  deletedOrganization,
} from '../../wire/organization.ts'
import {
  callsOf,
  invitationsTo,
  pageOfInvitations,
  requireInvitation,
  requireMembership,
  requireOrganization,
  userQuery,
  usersMatching,
} from '../shared.ts'

const metadataFields = { public_metadata: metadataField, private_metadata: metadataField }
const newForm = z.object({
  name: nameField.min(1),
  slug: slugField.nullish(),
  created_by: z.string().max(64).nullish(),
  max_allowed_memberships: z.number().int().min(0).optional(),
  ...metadataFields,
})
const changeForm = z.object({
  name: nameField.min(1).optional(),
  slug: slugField.optional(),
  max_allowed_memberships: z.number().int().min(0).optional(),
  admin_delete_enabled: booleanField.optional(),
  ...metadataFields,
})
const roleForm = z.object({ role: roleField })
const memberForm = roleForm.extend({ user_id: z.string().max(64) })
const invitationForm = roleForm.extend({
  email_address: emailField,
  inviter_user_id: z.string().max(64).nullish(),
  redirect_url: z.url({ protocol: /^https?$/ }).nullish(),
  expires_in_days: z.number().int().min(1).max(365).optional(),
  ...metadataFields,
})

/** Organizations with their members and invitations, and what the instance allows them. */
export function backendOrganizationRoutes(router: Router, service: Service): void {
  const { store, instance } = service
  const call = callsOf(router)

  // The switch for personal accounts is only in `/v1/environment`.
  call('GET /instance/organization_settings', () => ({
    object: 'organization_settings',
    enabled: instance.organizations_enabled,
    max_allowed_memberships: instance.max_allowed_memberships,
    max_allowed_roles: 10,
    max_role_sets_allowed: 1,
    max_allowed_domains: 10,
    max_allowed_permissions: 50,
    creator_role: 'org:admin',
    admin_delete_enabled: true,
    domains_enabled: false,
    slug_disabled: false,
    domains_enrollment_modes: [],
    domains_default_role: 'org:member',
    initial_role_set_key: null,
  }))

  call('POST /organizations', (ctx) => {
    const { created_by, ...form } = readForm(ctx, newForm)
    const creator = created_by ? store.users.get(created_by) : null
    if (creator === undefined) throw notFound('User')
    const organization = createOrganization(service, { ...form, creator })
    return backendOrganization(service, organization, { withMembersCount: true })
  })

  call('GET /organizations', (ctx) => {
    const query = readQuery(ctx, pageQuery.extend({ query: z.string().max(256).optional() }))
    const text = query.query?.toLowerCase()
    const found = store.organizations.filter(
      (row) => !text || [row.id, row.name, row.slug].some((value) => value.toLowerCase().includes(text)),
    )
    return page(found, query, (row) => backendOrganization(service, row))
  })

  call('GET /organizations/:organizationId', (ctx) => {
    const query = readQuery(ctx, z.object({ include_members_count: booleanField.optional() }))
    return backendOrganization(service, requireOrganization(service, ctx), {
      withMembersCount: query.include_members_count ?? false,
    })
  })

  call('PATCH /organizations/:organizationId', (ctx) => {
    const organization = requireOrganization(service, ctx)
    const changes = defined(readForm(ctx, changeForm))
    return backendOrganization(service, updateOrganization(service, organization, changes))
  })

  call('DELETE /organizations/:organizationId', (ctx) => {
    const organization = requireOrganization(service, ctx)
    deleteOrganization(service, organization)
    return deletedOrganization(organization)
  })

  call('GET /organizations/:organizationId/memberships', (ctx) => {
    const organization = requireOrganization(service, ctx)
    const query = readQuery(ctx, userQuery)
    const users = new Set(usersMatching(service, query).map((row) => row.id))
    const found = store.memberships.filter(
      (row) => row.organization_id === organization.id && users.has(row.user_id),
    )
    return page(found, query, (row) => backendMembership(service, row))
  })

  call('POST /organizations/:organizationId/memberships', (ctx) => {
    const organization = requireOrganization(service, ctx)
    const { user_id, role } = readForm(ctx, memberForm)
    const user = store.users.get(user_id)
    if (!user) throw notFound('User')
    return backendMembership(service, createMembership(service, { organization, user, role }))
  })

  call('PATCH /organizations/:organizationId/memberships/:userId', (ctx) => {
    const membership = requireMembership(service, ctx)
    return backendMembership(service, changeRole(service, membership, readForm(ctx, roleForm).role))
  })

  call('DELETE /organizations/:organizationId/memberships/:userId', (ctx) => {
    const membership = requireMembership(service, ctx)
    const last = backendMembership(service, membership)
    removeMember(service, membership)
    return last
  })

  call('GET /organizations/:organizationId/invitations', (ctx) => {
    const mine = invitationsTo(service, requireOrganization(service, ctx))
    return pageOfInvitations(service, ctx, mine, backendInvitation)
  })

  call('POST /organizations/:organizationId/invitations', (ctx) => {
    service.quotas.invitations.count(service.nowMs())
    const organization = requireOrganization(service, ctx)
    const { inviter_user_id = null, ...form } = readForm(ctx, invitationForm)
    if (inviter_user_id && !store.users.get(inviter_user_id)) throw notFound('User')
    const [invitation] = createInvitations(service, organization, [{ ...form, inviter_user_id }])
    return invitation && backendInvitation(service, invitation)
  })

  const named = (ctx: RouterContext) => requireInvitation(service, ctx, requireOrganization(service, ctx))
  call('GET /organizations/:organizationId/invitations/:invitationId', (ctx) =>
    backendInvitation(service, named(ctx)),
  )
  call('POST /organizations/:organizationId/invitations/:invitationId/revoke', (ctx) =>
    backendInvitation(service, revokeInvitation(service, named(ctx))),
  )
}
