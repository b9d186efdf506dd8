import { QueryClientProvider } from '@tanstack/react-query'
import { ThemeProvider } from 'next-themes'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './App.tsx'
import { createQueryClient } from './api/queryClient.ts'
import { fetchForm } from './auth/earlyFiles.ts'
import { AuthenticationErrorScreen, ErrorBoundary } from './pages/errors/ErrorScreen.tsx'
import { reloadAfterRelease } from './reloadAfterRelease.ts'
import { createRouter } from './routes.tsx'
import './ui/theme.css'

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
