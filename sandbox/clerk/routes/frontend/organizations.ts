import type { Router } from '@koa/router'
import { z } from 'zod'
import { createOrganization, deleteOrganization, updateOrganization } from '../../entities/organization.ts'
import { roles } from '../../entities/role.ts'
import type { Service } from '../../service.ts'
import { nameField, readForm, slugField } from '../../wire/form.ts'
import { deletedOrganization, frontendOrganization } from '../../wire/organization.ts'
import { callsOf, requireAdmin, requireMember, requireSession } from './browser.ts'

const newForm = z.object({ name: nameField.min(1), slug: slugField.optional() })
const changeForm = z.object({ name: nameField.min(1).optional(), slug: slugField.optional() })

export function organizationRoutes(router: Router, service: Service): void {
  const call = callsOf(router, service)

  call('POST /v1/organizations', (ctx) => {
    const { user } = requireSession(service, ctx)
    const { name, slug } = readForm(ctx, newForm)
    const organization = createOrganization(service, { name, slug, createdBy: user })
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
