import { Bug, type LucideIcon, ShieldAlert } from 'lucide-react'
import { Component, type ComponentType, type ReactNode, useEffect } from 'react'
import { StatusView } from '../../components/StatusView.tsx'
import { BootSkeleton } from '../../layouts/Main.tsx'
import { isReloadingAfterRelease } from '../../reloadAfterRelease.ts'
import { buttonStyle } from '../../ui/buttonStyle.ts'
import { LinkButton } from '../../ui/LinkButton.tsx'

/** Needs neither the router nor the session nor the settings, since any of them may be what failed. */
export function AuthenticationErrorScreen() {
  useEffect(() => {
    document.title = 'Authentication Error'
  }, [])
  return (
    <ErrorScreen
      Icon={ShieldAlert}
      title="Authentication Error"
      text="Something went wrong with the authentication system. Please try refreshing the page or contact support if the problem persists."
    />
  )
}

/** An error of a page's own rendering, with its text. */
export function UnexpectedErrorScreen({ error }: { error: unknown }) {
  useEffect(() => {
    document.title = 'Error'
  }, [])
  const text = error instanceof Error && error.message ? error.message : 'Unknown error occurred'
  return <ErrorScreen Icon={Bug} title="Unexpected Application Error!" text={text} />
}

interface ErrorBoundaryProps {
  Screen: ComponentType<{ error: unknown }>
  children: ReactNode
}

/** Catches rendering errors outside the router, which has an error screen of its own. */
export class ErrorBoundary extends Component<ErrorBoundaryProps, { caught: { error: unknown } | null }> {
  override state: { caught: { error: unknown } | null } = { caught: null }

  static getDerivedStateFromError(error: unknown) {
    return { caught: { error } }
  }

  override render() {
    const { caught } = this.state
    if (!caught) return this.props.children
    return <this.props.Screen error={caught.error} />
  }
}

/** Uses plain links and a full reload, because it is also shown when the router does not work. */
function ErrorScreen({ Icon, title, text }: { Icon: LucideIcon; title: string; text: string }) {
  if (isReloadingAfterRelease()) return <BootSkeleton />
  return (
    <main id="main" className="grid min-h-dvh place-items-center px-4">
      <StatusView
        tone="critical"
        Icon={Icon}
        title={title}
        text={text}
        actions={
          <>
            <button type="button" className={buttonStyle()} onClick={() => window.location.reload()}>
              Refresh Page
            </button>
            <LinkButton variant="secondary" href="/">
              Go to Home
            </LinkButton>
          </>
        }
      >
        <p className="text-muted text-sm">
          Your payments and credits are not affected: what you have paid for is kept, and nothing is charged
          by trying again.
        </p>
      </StatusView>
    </main>
  )
}
