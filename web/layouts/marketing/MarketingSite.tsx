import { ThemeProvider } from 'next-themes'
import type { ComponentType } from 'react'
import type { PageState } from '../../../schema/api/catalogue.ts'
import { SignedInContext, WebConfigContext } from '../../api/catalogue.ts'
import type { MarketingPath } from '../../content/paths.ts'
import { ErrorBoundary, UnexpectedErrorScreen } from '../../pages/errors/ErrorScreen.tsx'
import { Main, SkipLink } from '../Main.tsx'
import { Footer } from './Footer.tsx'
import { TopNav } from './TopNav.tsx'

interface MarketingSiteProps {
  path: MarketingPath
  Page: ComponentType
  state: PageState
}

/** A marketing page with all it needs. The server and the browser render the same. */
export function MarketingSite({ path, Page, state }: MarketingSiteProps) {
  return (
    <ErrorBoundary Screen={UnexpectedErrorScreen}>
      {/* The content security policy forbids next-themes' inline script. Its type keeps it from running;
          public/theme.js replaces it. */}
      <ThemeProvider attribute="class" disableTransitionOnChange scriptProps={{ type: 'application/json' }}>
        <WebConfigContext value={state.config}>
          <SignedInContext value={state.signed_in}>
            <SkipLink />
            <TopNav path={path} />
            <Main>
              <Page />
            </Main>
            <Footer />
          </SignedInContext>
        </WebConfigContext>
      </ThemeProvider>
    </ErrorBoundary>
  )
}
