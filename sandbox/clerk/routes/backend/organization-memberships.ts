import type { Router } from '@koa/router'
import { z } from 'zod'
import { changeRole, createMembership, removeMember } from '../../entities/membership.ts'
import { notFound } from '../../errors.ts'
import type { Service } from '../../service.ts'
import { newestFirst, page, readForm, readQuery, roleField } from '../../wire/form.ts'
import { backendMembership } from '../../wire/membership.ts'
import { requireMembership, requireOrganization } from './shared.ts'
import { userQuery, usersMatching } from './user-query.ts'

const newForm = z.object({ user_id: z.string().max(64), role: roleField })
const roleForm = z.object({ role: roleField })

export function backendMembershipRoutes(router: Router, service: Service): void {
  router.get('/bapi/v1/organizations/:organizationId/memberships', (ctx) => {
    const organization = requireOrganization(service, ctx)
    const query = readQuery(ctx, userQuery)
    const users = new Set(usersMatching(service, query).map((row) => row.id))
    const found = service.store.memberships.filter(
      (row) => row.organization_id === organization.id && users.has(row.user_id),
    )
    ctx.body = page(newestFirst(found), query, (row) => backendMembership(service, row))
  })

  router.post('/bapi/v1/organizations/:organizationId/memberships', (ctx) => {
    const organization = requireOrganization(service, ctx)
    const form = readForm(ctx, newForm)
    const user = service.store.users.get(form.user_id)
    if (!user) throw notFound('User')
    const membership = createMembership(service, { organization, user, role: form.role })
    ctx.body = backendMembership(service, membership)
  })

  router.patch('/bapi/v1/organizations/:organizationId/memberships/:userId', (ctx) => {
    const membership = requireMembership(service, ctx)
    ctx.body = backendMembership(service, changeRole(service, membership, readForm(ctx, roleForm).role))
  })

  router.delete('/bapi/v1/organizations/:organizationId/memberships/:userId', (ctx) => {
    const membership = requireMembership(service, ctx)
    const last = backendMembership(service, membership)
    removeMember(service, membership)
    ctx.body = last
  })
}
