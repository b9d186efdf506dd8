import { QueryClientProvider } from '@tanstack/react-query'
import { ThemeProvider } from 'next-themes'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './App.tsx'
import { createQueryClient } from './api/queryClient.ts'
import { ErrorBoundary } from './pages/errors/ErrorBoundary.tsx'
import { createRouter } from './routes.tsx'
import './ui/theme.css'

reloadAfterRelease()

const root = document.getElementById('root')
if (!root) throw new Error('index.html has no #root')

createRoot(root).render(
  <StrictMode>
    <ErrorBoundary>
      {/* The theme's own script stays inert under the content security policy; public/theme.js does its work. */}
      <ThemeProvider attribute="class" disableTransitionOnChange scriptProps={{ type: 'application/json' }}>
        <QueryClientProvider client={createQueryClient()}>
          <App router={createRouter()} />
        </QueryClientProvider>
      </ThemeProvider>
    </ErrorBoundary>
  </StrictMode>,
)

/**
 * A page that was opened before a release asks for code that the release has replaced. Loading it anew gets both from the same
 * build; once a minute at most, so that code which is really missing shows its error instead of reloading for ever.
 */
function reloadAfterRelease(): void {
  const key = 'reloaded-after-release'
  window.addEventListener('vite:preloadError', (event) => {
    if (Date.now() - Number(sessionStorage.getItem(key)) < 60_000) return
    event.preventDefault()
    sessionStorage.setItem(key, String(Date.now()))
    window.location.reload()
  })
}
