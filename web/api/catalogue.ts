import { queryOptions } from '@tanstack/react-query'
import { createContext, useContext } from 'react'
import { getWebConfig, listPlans, type WebConfig } from '../../schema/api/catalogue.ts'
import { type Api, createApi } from './client.ts'

/** What is sold at the moment. It changes only when the server is reconfigured. */
export function plansQuery(api: Api) {
  return queryOptions({
    queryKey: ['plans'],
    queryFn: async ({ signal }) => (await api(listPlans, { signal })).plans,
    staleTime: 10 * 60_000,
  })
}

/** Needed before anybody can sign in, so it has a client of its own, without a token. */
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
