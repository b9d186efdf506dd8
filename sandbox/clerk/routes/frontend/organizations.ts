import type { Router } from '@koa/router'
import { z } from 'zod'
import { resourceRoutes } from '../../../kit/resource.ts'
import { createOrganization, deleteOrganization, updateOrganization } from '../../entities/organization.ts'
import { roles } from '../../entities/role.ts'
import type { Service } from '../../service.ts'
import { nameField, readForm, slugField } from '../../wire/form.ts'
import { deletedOrganization, frontendOrganization } from '../../wire/organization.ts'
import { answerWithClient, requireAdmin, requireMember, requireSession, respond } from './browser.ts'

const newForm = z.object({ name: nameField.min(1), slug: slugField.optional() })
const changeForm = z.object({ name: nameField.min(1).optional(), slug: slugField.optional() })

export function organizationRoutes(router: Router, service: Service): void {
  router.post('/v1/organizations', async (ctx) => {
    const { user } = requireSession(service, ctx)
    const { name, slug } = readForm(ctx, newForm)
    const organization = createOrganization(service, { name, slug, createdBy: user })
    await respond(service, ctx, frontendOrganization(service, organization))
  })

  resourceRoutes(router, {
    path: '/v1/organizations',
    id: ':organizationId',
    handle: answerWithClient(service),
    find: (ctx) => requireMember(service, ctx),
    show: ({ organization }) => frontendOrganization(service, organization),
    update: (_member, ctx) => {
      const { organization } = requireAdmin(service, ctx)
      const { name, slug } = readForm(ctx, changeForm)
      const changes = { ...(name && { name }), ...(slug && { slug }) }
      return frontendOrganization(service, updateOrganization(service, organization, changes))
    },
    updateVerb: 'patch',
  })

  router.delete('/v1/organizations/:organizationId', async (ctx) => {
    const { organization } = requireAdmin(service, ctx)
    deleteOrganization(service, organization)
    await respond(service, ctx, deletedOrganization(organization))
  })

  router.get('/v1/organizations/:organizationId/roles', async (ctx) => {
    requireMember(service, ctx)
    const data = Object.values(roles).map(roleFields)
    await respond(service, ctx, { data, total_count: data.length, has_role_set_migration: false })
  })

  for (const list of ['domains', 'membership_requests']) {
    router.get(`/v1/organizations/:organizationId/${list}`, async (ctx) => {
      requireMember(service, ctx)
      await respond(service, ctx, { data: [], total_count: 0 })
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
