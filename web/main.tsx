import { getWebConfig } from '../schema/api/catalogue.ts'
import { ApiProvider } from './api/ApiProvider.tsx'
import { readPageState, WebConfigContext } from './api/catalogue.ts'
import { createApi } from './api/client.ts'
import { createQueryClient } from './api/queryClient.ts'
import { fetchForm } from './auth/earlyFiles.ts'
import { SessionProvider } from './auth/SessionProvider.tsx'
import { BootSkeleton } from './layouts/Main.tsx'
import { AuthenticationErrorScreen, ErrorBoundary } from './pages/errors/ErrorScreen.tsx'
import { reloadAfterRelease } from './reloadAfterRelease.ts'
import { createRouter } from './routes.tsx'
import './ui/theme.css'
import { QueryClientProvider, queryOptions, useQuery } from '@tanstack/react-query'
import { ThemeProvider, useTheme } from 'next-themes'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { RouterProvider } from 'react-router-dom'
import { useLater } from './ui/useLater.ts'

/** Toasts that are raised before it is loaded wait. */
const loadToaster = async () => (await import('./ui/Toaster.tsx')).Toaster

reloadAfterRelease()
// Without the parts the form loads them itself.
fetchForm(document, 'preload').catch(() => undefined)

const root = document.getElementById('root')
if (!root) throw new Error('index.html has no #root')

createRoot(root).render(
  <StrictMode>
    <ErrorBoundary Screen={AuthenticationErrorScreen}>
      {/* The content security policy forbids next-themes' inline script. Its type keeps it from running;
          public/theme.js replaces it. */}
      <ThemeProvider attribute="class" disableTransitionOnChange scriptProps={{ type: 'application/json' }}>
        <QueryClientProvider client={createQueryClient()}>
          <App router={createRouter()} />
        </QueryClientProvider>
      </ThemeProvider>
    </ErrorBoundary>
  </StrictMode>,
)

/** Loads the settings, which the session needs, and then the session, which the pages need. */
function App({ router }: { router: ReturnType<typeof createRouter> }) {
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
