import { z } from 'zod'
import { userLabel } from '../../entities/user.ts'
import type { Service } from '../../service.ts'
import type { User } from '../../state.ts'
import { oneOrMany, pageQuery } from '../../wire/form.ts'

const values = oneOrMany(z.string().max(256)).optional()

export const userQuery = pageQuery.extend({
  email_address: values,
  user_id: values,
  query: z.string().max(256).optional(),
})

/** Filters are joined by AND, the values of one filter by OR. */
export function usersMatching(
  service: Service,
  { email_address, user_id, query }: Omit<z.output<typeof userQuery>, 'limit' | 'offset'>,
): User[] {
  const addresses = email_address?.map((row) => row.toLowerCase())
  const text = query?.toLowerCase()
  return service.store.users.filter((user) => {
    const own = user.email_addresses.map((row) => row.email_address)
    return (
      (!addresses || addresses.some((address) => own.includes(address))) &&
      (!user_id || user_id.includes(user.id)) &&
      (!text || [user.id, userLabel(user), ...own].some((one) => one.toLowerCase().includes(text)))
    )
  })
}
