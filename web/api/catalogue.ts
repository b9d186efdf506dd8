import { createContext, useContext } from 'react'
import type { PageState, WebConfig } from '../../schema/api/catalogue.ts'

export const WebConfigContext = createContext<WebConfig | null>(null)

export function useWebConfig(): WebConfig {
  const config = useContext(WebConfigContext)
  if (!config) throw new Error('useWebConfig needs a WebConfigContext above it')
  return config
}

/** What the server wrote into the document; nothing when Vite's development server sent it. */
export function readPageState(): PageState | null {
  const text = document.getElementById('page-state')?.textContent
  return text ? (JSON.parse(text) as PageState) : null
}
