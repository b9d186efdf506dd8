import { Router, type RouterContext } from '@koa/router'
import getRawBody from 'raw-body'
import type { Clerk } from '../../clerk.ts'
import { updateOrganization } from '../../entities/organization.ts'
import { PICTURE_SIZE_MAX_BYTES } from '../../entities/picture.ts'
import { updateUser } from '../../entities/user.ts'
import { ClerkError } from '../../errors.ts'
import { imageUrl } from '../../wire/image.ts'
import { frontendOrganization } from '../../wire/organization.ts'
import { requireSession, respond } from './browser.ts'
import { requireAdmin } from './member.ts'

const TYPES = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp'])

/** Profile images and logos. These bodies are not parsed before they come here. */
export function pictureRoutes(clerk: Clerk): Router {
  const router = new Router({ prefix: '/v1' })

  router.post('/me/profile_image', async (ctx) => {
    const { user } = requireSession(clerk, ctx)
    await storePicture(clerk, ctx, user.id)
    updateUser(clerk, user, {})
    const public_url = imageUrl(clerk, user.id, '')
    await respond(clerk, ctx, { object: 'image', id: user.id, name: 'profile image', public_url })
  })

  router.delete('/me/profile_image', async (ctx) => {
    const { user } = requireSession(clerk, ctx)
    clerk.store.pictures.delete(user.id)
    updateUser(clerk, user, {})
    await respond(clerk, ctx, { object: 'image', id: user.id, deleted: true })
  })

  router.put('/organizations/:organizationId/logo', async (ctx) => {
    const { organization } = requireAdmin(clerk, ctx)
    await storePicture(clerk, ctx, organization.id)
    updateOrganization(clerk, organization, {})
    await respond(clerk, ctx, frontendOrganization(clerk, organization))
  })

  router.delete('/organizations/:organizationId/logo', async (ctx) => {
    const { organization } = requireAdmin(clerk, ctx)
    clerk.store.pictures.delete(organization.id)
    updateOrganization(clerk, organization, {})
    await respond(clerk, ctx, frontendOrganization(clerk, organization))
  })

  return router
}

async function storePicture(clerk: Clerk, ctx: RouterContext, id: string): Promise<void> {
  const body = await getRawBody(ctx.req, { limit: PICTURE_SIZE_MAX_BYTES })
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
  clerk.store.pictures.add({
    id,
    content_type: file.type,
    base64: Buffer.from(await file.arrayBuffer()).toString('base64'),
    updated_at: Date.now(),
  })
}
