import { createContext, useContext } from 'react'
import type { WebConfig } from '../../schema/api/catalogue.ts'

export const WebConfigContext = createContext<WebConfig | null>(null)

export function useWebConfig(): WebConfig {
  const config = useContext(WebConfigContext)
  if (!config) throw new Error('useWebConfig needs a WebConfigContext above it')
  return config
}
