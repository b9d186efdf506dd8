import type { Router, RouterContext } from '@koa/router'
import getRawBody from 'raw-body'
import { updateOrganization } from '../../entities/organization.ts'
import { updateUser } from '../../entities/user.ts'
import { ClerkError } from '../../errors.ts'
import type { Service } from '../../service.ts'
import { frontendOrganization } from '../../wire/organization.ts'
import { imageUrl } from '../../wire/public.ts'
import { callsOf, requireAdmin, requireSession } from './browser.ts'

const SIZE_MAX_BYTES = 2 * 1024 * 1024
const TYPES = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp'])

/** Profile images and logos. These bodies are not parsed before they come here. */
export function pictureRoutes(router: Router, service: Service): void {
  const call = callsOf(router, service)

  call('POST /v1/me/profile_image', async (ctx) => {
    const { user } = requireSession(service, ctx)
    await storePicture(service, ctx, user.id)
    updateUser(service, user, {})
    const public_url = imageUrl(service, user.id, '')
    return { object: 'image', id: user.id, name: 'profile image', public_url }
  })

  call('DELETE /v1/me/profile_image', (ctx) => {
    const { user } = requireSession(service, ctx)
    service.store.pictures.remove(user.id)
    updateUser(service, user, {})
    return { object: 'image', id: user.id, deleted: true }
  })

  call('PUT /v1/organizations/:organizationId/logo', async (ctx) => {
    const { organization } = requireAdmin(service, ctx)
    await storePicture(service, ctx, organization.id)
    const updated = updateOrganization(service, organization, {})
    return frontendOrganization(service, updated)
  })

  call('DELETE /v1/organizations/:organizationId/logo', (ctx) => {
    const { organization } = requireAdmin(service, ctx)
    service.store.pictures.remove(organization.id)
    const updated = updateOrganization(service, organization, {})
    return frontendOrganization(service, updated)
  })
}

async function storePicture(service: Service, ctx: RouterContext, id: string): Promise<void> {
  const body = await getRawBody(ctx.req, { limit: SIZE_MAX_BYTES })
  const form = await new Response(new Uint8Array(body), {
    headers: { 'content-type': ctx.get('content-type') },
  })
    .formData()
    .catch(() => null)
  const file = form?.get('file')
  if (!(file instanceof Blob) || !TYPES.has(file.type)) {
    throw new ClerkError(422, {
      code: 'avatar_file_type_invalid',
      message: 'File type not supported. Please upload a JPG, PNG, GIF, or WEBP image.',
    })
  }
  service.store.pictures.put({
    id,
    content_type: file.type,
    base64: Buffer.from(await file.arrayBuffer()).toString('base64'),
    updated_at: Date.now(),
  })
}
