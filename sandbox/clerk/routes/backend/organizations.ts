import type { Router } from '@koa/router'
import { z } from 'zod'
import { resourceRoutes } from '../../../kit/resource.ts'
import { createOrganization, deleteOrganization, updateOrganization } from '../../entities/organization.ts'
import { notFound } from '../../errors.ts'
import type { Service } from '../../service.ts'
import {
  booleanField,
  metadataField,
  nameField,
  newestFirst,
  page,
  pageQuery,
  readForm,
  readQuery,
  slugField,
} from '../../wire/form.ts'
import { backendOrganization, deletedOrganization } from '../../wire/organization.ts'
import { answer, requireOrganization } from './shared.ts'

const listQuery = pageQuery.extend({ query: z.string().max(256).optional() })
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

export function backendOrganizationRoutes(router: Router, service: Service): void {
  router.post('/bapi/v1/organizations', (ctx) => {
    const form = readForm(ctx, newForm)
    const createdBy = form.created_by ? service.store.users.get(form.created_by) : null
    if (createdBy === undefined) throw notFound('User')
    const organization = createOrganization(service, {
      name: form.name,
      slug: form.slug,
      createdBy,
      maxAllowedMemberships: form.max_allowed_memberships,
      publicMetadata: form.public_metadata,
      privateMetadata: form.private_metadata,
    })
    ctx.body = backendOrganization(service, organization, { withMembersCount: true })
  })

  resourceRoutes(router, {
    path: '/bapi/v1/organizations',
    id: ':organizationId',
    handle: answer,
    find: (ctx) => requireOrganization(service, ctx),
    show: (organization, ctx) => {
      const query = readQuery(ctx, z.object({ include_members_count: booleanField.optional() }))
      return backendOrganization(service, organization, {
        withMembersCount: query.include_members_count ?? false,
      })
    },
    list: (ctx) => {
      const query = readQuery(ctx, listQuery)
      const text = query.query?.toLowerCase()
      const found = service.store.organizations.filter(
        (row) => !text || [row.id, row.name, row.slug].some((value) => value.toLowerCase().includes(text)),
      )
      return page(newestFirst(found), query, (row) => backendOrganization(service, row))
    },
    update: (organization, ctx) => {
      const form = readForm(ctx, changeForm)
      const given = Object.fromEntries(Object.entries(form).filter(([, value]) => value !== undefined))
      return backendOrganization(service, updateOrganization(service, organization, given))
    },
    updateVerb: 'patch',
  })

  router.delete('/bapi/v1/organizations/:organizationId', (ctx) => {
    const organization = requireOrganization(service, ctx)
    deleteOrganization(service, organization)
    ctx.body = deletedOrganization(organization)
  })
}
