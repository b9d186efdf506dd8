import { queryOptions, useQuery } from '@tanstack/react-query'
import { useTheme } from 'next-themes'
import { RouterProvider } from 'react-router-dom'
import { getWebConfig } from '../schema/api/catalogue.ts'
import { ApiProvider } from './api/ApiProvider.tsx'
import { readPageState, WebConfigContext } from './api/catalogue.ts'
import { createApi } from './api/client.ts'
import { SessionProvider } from './auth/SessionProvider.tsx'
import { BootSkeleton } from './layouts/BootSkeleton.tsx'
import { AuthenticationErrorScreen } from './pages/errors/ErrorScreen.tsx'
import type { createRouter } from './routes.tsx'
import { useLater } from './ui/useLater.ts'

/** Toasts that are raised before it is loaded wait. */
const loadToaster = async () => (await import('./ui/Toaster.tsx')).Toaster

/** Loads the settings, which the session needs, and then the session, which the pages need. */
export function App({ router }: { router: ReturnType<typeof createRouter> }) {
  const config = useQuery(webConfigQuery())
  const { resolvedTheme } = useTheme()
  const Toaster = useLater(loadToaster)
  if (config.isPending) return <BootSkeleton />
  if (config.isError) return <AuthenticationErrorScreen />
  return (
    <WebConfigContext value={config.data}>
      <SessionProvider
        clerk={config.data.clerk}
        navigate={(to, options) => void router.navigate(to, options)}
      >
        <ApiProvider>
          <RouterProvider router={router} />
          {Toaster && <Toaster theme={resolvedTheme === 'dark' ? 'dark' : 'light'} />}
        </ApiProvider>
      </SessionProvider>
    </WebConfigContext>
  )
}

/** The configuration in the document, or the server's answer in development; needs no token. */
function webConfigQuery() {
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
