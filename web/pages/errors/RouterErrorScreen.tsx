import { Bug } from 'lucide-react'
import { isRouteErrorResponse, useRouteError } from 'react-router-dom'
import { usePageTitle } from '../../components/usePageTitle.ts'
import { BootSkeleton } from '../../layouts/BootSkeleton.tsx'
import { isReloadingAfterRelease } from '../../reloadAfterRelease.ts'
import { ErrorScreen } from './ErrorScreen.tsx'

/** The router's own error screen, for an error in any of its pages. */
export function RouterErrorScreen() {
  const error = useRouteError()
  usePageTitle('Error')
  if (isReloadingAfterRelease()) return <BootSkeleton />
  return <ErrorScreen Icon={Bug} title="Unexpected Application Error!" text={errorText(error)} />
}

function errorText(error: unknown): string {
  if (isRouteErrorResponse(error)) return `${error.status} ${error.statusText}`.trim()
  return error instanceof Error && error.message ? error.message : 'Unknown error occurred'
}
