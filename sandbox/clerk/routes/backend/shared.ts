import type { Router, RouterContext } from '@koa/router'
import { z } from 'zod'
import { findMembership } from '../../entities/membership.ts'
import { type Metadata, mergeMetadata } from '../../entities/metadata.ts'
import { findOrganization } from '../../entities/organization.ts'
import { notFound } from '../../errors.ts'
import type { Service } from '../../service.ts'
import type { Organization, OrganizationMembership, User } from '../../state.ts'
import { type metadataField, readForm } from '../../wire/form.ts'

/** The backend API answers with the bare object. */
export function answer(work: (ctx: RouterContext) => object | Promise<object>) {
  return async (ctx: RouterContext) => {
    ctx.body = await work(ctx)
  }
}

/** The objects that a path names; one that does not exist is a 404. */
export function requireUser(service: Service, ctx: RouterContext): User {
  const user = service.store.users.get(ctx.params.userId)
  if (!user) throw notFound('User')
  return user
}

export function requireOrganization(service: Service, ctx: RouterContext): Organization {
  const organization = findOrganization(service, ctx.params.organizationId ?? '')
  if (!organization) throw notFound('Organization')
  return organization
}

export function requireMembership(service: Service, ctx: RouterContext): OrganizationMembership {
  const organization = requireOrganization(service, ctx)
  const { userId } = ctx.params
  const membership = userId && findMembership(service, { organizationId: organization.id, userId })
  if (!membership) throw notFound('Organization membership')
  return membership
}

type MetadataName = 'public_metadata' | 'private_metadata' | 'unsafe_metadata'
type MetadataFields = Partial<Record<MetadataName, typeof metadataField>>

/** Metadata has its own path: PATCH merges, PUT (where it exists) replaces. */
export function metadataRoutes<Row extends Partial<Record<MetadataName, Metadata>>>(
  router: Router,
  path: string,
  {
    fields,
    find,
    update,
    show,
    isReplaceable = false,
  }: {
    fields: MetadataFields
    find: (ctx: RouterContext) => Row
    update: (row: Row, changes: Partial<Record<MetadataName, Metadata>>) => Row
    show: (row: Row) => object
    isReplaceable?: boolean
  },
): void {
  const route = (change: (before: Metadata, given: Metadata) => Metadata) => (ctx: RouterContext) => {
    const row = find(ctx)
    const given = Object.entries(readForm(ctx, z.object(fields))) as [MetadataName, Metadata | undefined][]
    const changes = given.flatMap(([name, value]) => (value ? [[name, change(row[name] ?? {}, value)]] : []))
    ctx.body = show(update(row, Object.fromEntries(changes)))
  }
  router.patch(path, route(mergeMetadata))
  if (isReplaceable)
    router.put(
      path,
      route((_before, given) => given),
    )
}
