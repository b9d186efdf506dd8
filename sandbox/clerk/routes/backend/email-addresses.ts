import type { Router } from '@koa/router'
import { z } from 'zod'
import { createEmailAddress, findUserByEmailAddress } from '../../entities/email-address.ts'
import { updateUser } from '../../entities/user.ts'
import { notFound, takenEmailAddress } from '../../errors.ts'
import type { Service } from '../../service.ts'
import { booleanField, emailField, readForm } from '../../wire/form.ts'
import { emailAddressFields } from '../../wire/user.ts'

const newForm = z.object({
  user_id: z.string().max(64),
  email_address: emailField,
  verified: booleanField.optional(),
  primary: booleanField.optional(),
})

export function backendEmailAddressRoutes(router: Router, service: Service): void {
  router.post('/bapi/v1/email_addresses', (ctx) => {
    const form = readForm(ctx, newForm)
    const user = service.store.users.get(form.user_id)
    if (!user) throw notFound('User')
    if (findUserByEmailAddress(service, form.email_address)) throw takenEmailAddress()
    const address = createEmailAddress(form.email_address, { isVerified: form.verified ?? false })
    updateUser(service, user, {
      email_addresses: [...user.email_addresses, address],
      ...(form.primary ? { primary_email_address_id: address.id } : {}),
    })
    ctx.body = emailAddressFields(address)
  })

  router.delete('/bapi/v1/email_addresses/:id', (ctx) => {
    const { id } = ctx.params
    const user = service.store.users.find((row) => row.email_addresses.some((address) => address.id === id))
    if (!user) throw notFound('Email address')
    const left = user.email_addresses.filter((row) => row.id !== id)
    updateUser(service, user, {
      email_addresses: left,
      ...(user.primary_email_address_id === id ? { primary_email_address_id: left[0]?.id ?? null } : {}),
    })
    ctx.body = { object: 'email_address', id, deleted: true }
  })
}
