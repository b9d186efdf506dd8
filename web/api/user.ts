import { queryOptions } from '@tanstack/react-query'
import { getUser } from '../../schema/api/users.ts'
import type { Api } from './client.ts'

export function userQuery(api: Api, clerkId: string) {
  return queryOptions({
    queryKey: ['user', clerkId],
    queryFn: async ({ signal }) => (await api(getUser, { query: { clerkId }, signal })).data,
  })
}
