import { queryOptions } from '@tanstack/react-query'
import { listPlans } from '../../schema/api/catalogue.ts'
import type { Api } from './client.ts'

/** What is sold at the moment. It changes when the server is configured anew, which is seldom. */
export function plansQuery(api: Api) {
  return queryOptions({
    queryKey: ['plans'],
    queryFn: async ({ signal }) => (await api(listPlans, { signal })).plans,
    staleTime: 10 * 60_000,
  })
}
