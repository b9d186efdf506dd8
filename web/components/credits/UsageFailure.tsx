import type { UseQueryResult } from '@tanstack/react-query'
import { FailurePanel } from '../FailurePanel.tsx'

/** In place of figures that come from the summary of usage, which two cards show. */
export function UsageFailure({ usage }: { usage: UseQueryResult }) {
  return (
    <FailurePanel
      title="Your usage could not be loaded"
      error={usage.error}
      defaultText="An unexpected error occurred"
      busy={usage.isFetching}
      onRetry={() => void usage.refetch()}
    />
  )
}
