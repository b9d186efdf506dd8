import { z } from 'zod'
import { userLabel } from '../../entities/user.ts'
import type { Service } from '../../service.ts'
import type { User } from '../../state.ts'
import { oneOrMany, pageQuery } from '../../wire/form.ts'

const values = oneOrMany(z.string().max(256)).optional()

export const userQuery = pageQuery.extend({
  email_address: values,
  user_id: values,
  external_id: values,
  organization_id: values,
  query: z.string().max(256).optional(),
  email_address_query: z.string().max(256).optional(),
})
type UserQuery = z.output<typeof userQuery>

/** Filters are joined by AND, the values of one filter by OR. A leading `-` excludes, as in the API. */
export function usersMatching(service: Service, query: UserQuery): User[] {
  const addresses = query.email_address?.map((row) => row.toLowerCase())
  return service.store.users.filter((user) => {
    const own = user.email_addresses.map((row) => row.email_address)
    const organizations = () =>
      service.store.memberships.filter((row) => row.user_id === user.id).map((row) => row.organization_id)
    return (
      (!addresses || addresses.some((address) => own.includes(address))) &&
      isAmong(query.user_id, [user.id]) &&
      isAmong(query.external_id, user.external_id ? [user.external_id] : []) &&
      (!query.organization_id || isAmong(query.organization_id, organizations())) &&
      contains([user.id, userLabel(user), ...own], query.query) &&
      contains(own, query.email_address_query)
    )
  })
}

function isAmong(wanted: string[] | undefined, own: string[]): boolean {
  if (!wanted) return true
  const excluded = wanted.filter((row) => row.startsWith('-')).map((row) => row.slice(1))
  const included = wanted.filter((row) => !row.startsWith('-')).map((row) => row.replace(/^\+/, ''))
  if (own.some((row) => excluded.includes(row))) return false
  return included.length === 0 || own.some((row) => included.includes(row))
}

function contains(texts: string[], query: string | undefined): boolean {
  return !query || texts.some((text) => text.toLowerCase().includes(query.toLowerCase()))
}
