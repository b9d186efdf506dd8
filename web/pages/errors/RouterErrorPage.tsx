import { Bug } from 'lucide-react'
import { isRouteErrorResponse, useRouteError } from 'react-router-dom'
import { StatusView } from '../../components/StatusView.tsx'
import { usePageTitle } from '../../components/usePageTitle.ts'
import { Button } from '../../ui/Button.tsx'

export function RouterErrorPage() {
  const error = useRouteError()
  usePageTitle('Error')
  return (
    <main id="main" className="grid min-h-dvh place-items-center px-4">
      <StatusView
        tone="critical"
        Icon={Bug}
        title="Unexpected Application Error!"
        text={errorText(error)}
        actions={
          <>
            <Button onClick={() => window.location.reload()}>Refresh Page</Button>
            <Button asChild variant="secondary">
              <a href="/">Go to Home</a>
            </Button>
          </>
        }
      />
    </main>
  )
}

function errorText(error: unknown): string {
  if (isRouteErrorResponse(error)) return `${error.status} ${error.statusText}`.trim()
  return error instanceof Error && error.message ? error.message : 'Unknown error occurred'
}
