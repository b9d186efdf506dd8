import { ThemeProvider } from 'next-themes'
import type { ComponentType, ReactNode } from 'react'
import type { PageState } from '../../../schema/api/catalogue.ts'
import { SignedInContext, useSignedIn, useWebConfig, WebConfigContext } from '../../api/catalogue.ts'
import { Logo } from '../../components/Logo.tsx'
import { SandboxMarker } from '../../components/SandboxMarker.tsx'
import { ThemeSwitch } from '../../components/ThemeSwitch.tsx'
import { legalPaths, type MarketingPath } from '../../content/paths.ts'
import { legalLink } from '../../content/site/legal.ts'
import { ErrorBoundary, UnexpectedErrorScreen } from '../../pages/errors/ErrorScreen.tsx'
import { Main, SkipLink } from '../Main.tsx'
import { docsLink, resources } from './resources.ts'
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

function Footer() {
  const { brand } = useWebConfig()
  const signedIn = useSignedIn()
  return (
    <footer className="border-t bg-sunken">
      <div className="mx-auto grid max-w-6xl grid-cols-2 gap-x-6 gap-y-10 px-5 py-12 sm:px-8 md:grid-cols-[1.6fr_1fr_1fr_1fr]">
        <div className="col-span-2 md:col-span-1">
          <Logo />
          <p className="mt-4 max-w-xs text-muted text-sm">
            An AI coding assistant for the editor you already use, with a clear record of every credit.
          </p>
        </div>
        <FooterColumn title="Product">
          <a href="/#features">Features</a>
          <a href="/pricing">Pricing</a>
          <a href="/teams">Teams</a>
        </FooterColumn>
        <FooterColumn title="Resources">
          <a href={docsLink(brand)}>Docs</a>
          {resources(brand).map(({ label, href }) => (
            <a key={label} href={href}>
              {label}
            </a>
          ))}
          <a href={`mailto:${brand.support_email}`}>Contact Support</a>
        </FooterColumn>
        <FooterColumn title="Account">
          {signedIn ? (
            <>
              <a href="/dashboard">Dashboard</a>
              <a href="/dashboard#add-credits">Add credits</a>
            </>
          ) : (
            <>
              <a href="/sign-in">Sign In</a>
              <a href="/sign-up">Create an account</a>
            </>
          )}
        </FooterColumn>
      </div>
      <div className="mx-auto flex max-w-6xl flex-wrap items-center justify-between gap-4 border-t px-5 py-5 sm:px-8">
        {/* The server may have rendered the page last year. */}
        <p suppressHydrationWarning className="flex items-center gap-3 text-faint text-sm">
          © {new Date().getFullYear()} {brand.name}
          <SandboxMarker />
        </p>
        <nav
          aria-label="Legal"
          className="flex flex-wrap gap-x-5 gap-y-2 text-faint text-sm [&_a:hover]:text-ink"
        >
          {legalPaths.map((path) => {
            const { label, href } = legalLink(path, brand)
            return (
              <a key={path} href={href}>
                {label}
              </a>
            )
          })}
        </nav>
        <ThemeSwitch />
      </div>
    </footer>
  )
}

function FooterColumn({ title, children }: { title: string; children: ReactNode }) {
  return (
    <nav aria-label={title}>
      <p className="font-medium text-sm">{title}</p>
      <div className="mt-3 flex flex-col items-start gap-2.5 text-sm [&_a:hover]:text-ink [&_a]:text-muted">
        {children}
      </div>
    </nav>
  )
}
