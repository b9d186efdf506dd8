import { useAuth } from '@clerk/clerk-react'
import { createContext, type ReactNode, useContext, useMemo } from 'react'
import { type Api, createApi } from './client.ts'

export const ApiContext = createContext<Api | null>(null)

export function ApiProvider({ children }: { children: ReactNode }) {
  const { getToken } = useAuth()
  const api = useMemo(
    () => createApi({ getToken: () => getToken(), fetch: window.fetch.bind(window) }),
    [getToken],
  )
  return <ApiContext value={api}>{children}</ApiContext>
}

export function useApi(): Api {
  const api = useContext(ApiContext)
  if (!api) throw new Error('useApi needs an ApiProvider above it')
  return api
}
