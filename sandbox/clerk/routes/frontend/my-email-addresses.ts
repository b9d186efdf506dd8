import { Router, type RouterContext } from '@koa/router'
import { z } from 'zod'
import type { Clerk } from '../../clerk.ts'
import {
  attemptCode,
  createEmailAddress,
  type EmailAddress,
  findUserByEmailAddress,
  pendingVerification,
} from '../../entities/email-address.ts'
import { sendCode } from '../../entities/mail.ts'
import { type User, updateUser } from '../../entities/user.ts'
import { ClerkError, notFound, takenEmailAddress } from '../../errors.ts'
import { emailAddressFields } from '../../wire/user.ts'
import { emailField, readForm } from '../form.ts'
import { page } from '../page.ts'
import { requireSession, respond } from './browser.ts'

const ADDRESSES_MAX = 10
const addressForm = z.object({ email_address: emailField })
const codeForm = z.object({ code: z.string().max(20).optional() })

export function myEmailAddressRoutes(clerk: Clerk): Router {
  const router = new Router({ prefix: '/v1/me/email_addresses' })

  router.get('/', async (ctx) => {
    const { user } = requireSession(clerk, ctx)
    const everything = { limit: ADDRESSES_MAX, offset: 0 }
    await respond(clerk, ctx, page(user.email_addresses, everything, emailAddressFields))
  })

  router.post('/', async (ctx) => {
    const { user } = requireSession(clerk, ctx)
    const wanted = readForm(ctx, addressForm).email_address
    const isOwn = user.email_addresses.some((row) => row.email_address === wanted)
    if (isOwn || findUserByEmailAddress(clerk, wanted)) throw takenEmailAddress()
    if (user.email_addresses.length >= ADDRESSES_MAX) {
      throw new ClerkError(403, {
        code: 'email_address_quota_exceeded',
        message: 'You have too many email addresses.',
      })
    }
    const address = createEmailAddress(wanted, { isVerified: false })
    updateUser(clerk, user, { email_addresses: [...user.email_addresses, address] })
    await respond(clerk, ctx, emailAddressFields(address))
  })

  router.get('/:id', async (ctx) => {
    await respond(clerk, ctx, emailAddressFields(requireAddress(clerk, ctx).address))
  })

  router.post('/:id/prepare_verification', async (ctx) => {
    const { address } = requireAddress(clerk, ctx)
    address.verification = pendingVerification('email_code')
    sendCode(clerk, address.email_address)
    await respond(clerk, ctx, emailAddressFields(address))
  })

  router.post('/:id/attempt_verification', async (ctx) => {
    const { user, address } = requireAddress(clerk, ctx)
    const form = readForm(ctx, codeForm)
    // Somebody else may have been quicker since the address was added.
    if (findUserByEmailAddress(clerk, address.email_address)) throw takenEmailAddress()
    attemptCode(address.verification, form.code)
    updateUser(clerk, user, {
      primary_email_address_id: user.primary_email_address_id ?? address.id,
    })
    await respond(clerk, ctx, emailAddressFields(address))
  })

  router.delete('/:id', async (ctx) => {
    const { user, address } = requireAddress(clerk, ctx)
    if (address.id === user.primary_email_address_id) {
      throw new ClerkError(403, {
        code: 'identification_deletion_failed',
        message: 'You cannot delete your primary email address.',
      })
    }
    updateUser(clerk, user, { email_addresses: user.email_addresses.filter((row) => row.id !== address.id) })
    await respond(clerk, ctx, { object: 'email_address', id: address.id, deleted: true })
  })

  return router
}

function requireAddress(clerk: Clerk, ctx: RouterContext): { user: User; address: EmailAddress } {
  const { user } = requireSession(clerk, ctx)
  const address = user.email_addresses.find((row) => row.id === ctx.params.id)
  if (!address) throw notFound('Email address')
  return { user, address }
}
