import { queryOptions } from '@tanstack/react-query'
import { getWebConfig } from '../../schema/api/catalogue.ts'
import { createApi } from './client.ts'
import { readPageState } from './pageState.ts'

/** The configuration in the document, or the server's answer in development; needs no token. */
export function webConfigQuery() {
  const api = createApi({ getToken: async () => null, fetch: window.fetch.bind(window) })
  const known = readPageState()?.config
  return queryOptions({
    queryKey: ['web-config'],
    queryFn: ({ signal }) => api(getWebConfig, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: Number.POSITIVE_INFINITY,
    ...(known && { initialData: known }),
  })
}
