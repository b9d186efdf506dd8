import { isRouteErrorResponse, useRouteError } from 'react-router-dom'
import { UnexpectedErrorScreen } from './ErrorScreen.tsx'

/** The router's own error screen, for an error in any of its pages. */
export function RouterErrorScreen() {
  const error = useRouteError()
  if (!isRouteErrorResponse(error)) return <UnexpectedErrorScreen error={error} />
  return <UnexpectedErrorScreen error={new Error(`${error.status} ${error.statusText}`.trim())} />
}
