import { queryOptions } from '@tanstack/react-query'
import { createContext, useContext } from 'react'
import { getWebConfig, type WebConfig } from '../../schema/api/catalogue.ts'
import { createApi } from './client.ts'

/** Asked before anyone can be signed in, so it has a client of its own, without a token. */
export function webConfigQuery() {
  const api = createApi({ getToken: async () => null, fetch: window.fetch.bind(window) })
  return queryOptions({
    queryKey: ['web-config'],
    queryFn: ({ signal }) => api(getWebConfig, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: Number.POSITIVE_INFINITY,
  })
}

export const WebConfigContext = createContext<WebConfig | null>(null)

export function useWebConfig(): WebConfig {
  const config = useContext(WebConfigContext)
  if (!config) throw new Error('useWebConfig needs a WebConfigContext above it')
  return config
}
