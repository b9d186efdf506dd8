import type { Router, RouterContext } from '@koa/router'
import { z } from 'zod'
import {
  attemptCode,
  createEmailAddress,
  findUserByEmailAddress,
  pendingVerification,
  saveVerification,
  sendCode,
} from '../../entities/email-address.ts'
import { updateUser } from '../../entities/user.ts'
import { ClerkError, notFound, takenEmailAddress } from '../../errors.ts'
import type { Service } from '../../service.ts'
import type { EmailAddress, User } from '../../state.ts'
import { emailField, readForm } from '../../wire/form.ts'
import { emailAddressFields } from '../../wire/user.ts'
import { callsOf, requireSession } from './browser.ts'

const ADDRESSES_MAX = 10
const addressForm = z.object({ email_address: emailField })
const codeForm = z.object({ code: z.string().max(20).optional() })

export function myEmailAddressRoutes(router: Router, service: Service): void {
  const call = callsOf(router, service)

  router.get('/v1/me/email_addresses', (ctx) => {
    const { user } = requireSession(service, ctx)
    ctx.body = user.email_addresses.map((row) => emailAddressFields(row))
  })

  call('POST /v1/me/email_addresses', (ctx) => {
    const { user } = requireSession(service, ctx)
    const wanted = readForm(ctx, addressForm).email_address
    const isOwn = user.email_addresses.some((row) => row.email_address === wanted)
    if (isOwn || findUserByEmailAddress(service, wanted)) throw takenEmailAddress()
    if (user.email_addresses.length >= ADDRESSES_MAX) {
      throw new ClerkError(403, {
        code: 'email_address_quota_exceeded',
        message: 'You have too many email addresses.',
      })
    }
    const address = createEmailAddress(wanted, { isVerified: false })
    updateUser(service, user, { email_addresses: [...user.email_addresses, address] })
    return emailAddressFields(address)
  })

  call('GET /v1/me/email_addresses/:id', (ctx) => emailAddressFields(requireAddress(service, ctx).address))

  call('POST /v1/me/email_addresses/:id/prepare_verification', (ctx) => {
    const { user, address } = requireAddress(service, ctx)
    const prepared = saveVerification(service, { user, address }, pendingVerification('email_code'))
    sendCode(service, address.email_address)
    return emailAddressFields(prepared)
  })

  call('POST /v1/me/email_addresses/:id/attempt_verification', (ctx) => {
    const { user, address } = requireAddress(service, ctx)
    const form = readForm(ctx, codeForm)
    // Another user may have verified the address since it was added.
    if (findUserByEmailAddress(service, address.email_address)) throw takenEmailAddress()
    let attempted = address
    attemptCode(address.verification, form.code, (verification) => {
      attempted = saveVerification(service, { user, address }, verification)
    })
    updateUser(service, user, {
      primary_email_address_id: user.primary_email_address_id ?? address.id,
    })
    return emailAddressFields(attempted)
  })

  call('DELETE /v1/me/email_addresses/:id', (ctx) => {
    const { user, address } = requireAddress(service, ctx)
    if (address.id === user.primary_email_address_id) {
      throw new ClerkError(403, {
        code: 'identification_deletion_failed',
        message: 'You cannot delete your primary email address.',
      })
    }
    updateUser(service, user, {
      email_addresses: user.email_addresses.filter((row) => row.id !== address.id),
    })
    return { object: 'email_address', id: address.id, deleted: true }
  })
}

function requireAddress(service: Service, ctx: RouterContext): { user: User; address: EmailAddress } {
  const { user } = requireSession(service, ctx)
  const address = user.email_addresses.find((row) => row.id === ctx.params.id)
  if (!address) throw notFound('Email address')
  return { user, address }
}
