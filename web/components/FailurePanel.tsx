import { RotateCw } from 'lucide-react'
import { failureNotice } from '../api/failure.ts'
import { Button } from '../ui/Button.tsx'

/** What the panel reads of a query that failed, and asks again. */
export interface FailedQuery {
  error: unknown
  isFetching: boolean
  refetch: () => unknown
}

interface FailurePanelProps {
  title: string
  query: FailedQuery
  defaultText?: string
  /** What the failure means for the reader's money. */
  reassurance?: string
}

/** Replaces a card's content that failed to load: error, reference for support, and a retry. */
export function FailurePanel({
  title,
  query: { error, isFetching, refetch },
  defaultText = 'An unexpected error occurred',
  reassurance,
}: FailurePanelProps) {
  const { text, advice, reference } = failureNotice(error, defaultText)
  return (
    <div role="alert" className="flex flex-col items-center px-6 py-10 text-center">
      <p className="font-medium">{title}</p>
      <p className="mt-1 max-w-sm text-muted text-sm">
        {text}
        {advice && ` ${advice}`}
      </p>
      {reassurance && <p className="mt-1 max-w-sm text-muted text-sm">{reassurance}</p>}
      {reference && <p className="mt-2 font-mono text-faint text-xs">Reference {reference}</p>}
      <Button
        variant="secondary"
        size="small"
        className="mt-4"
        busy={isFetching}
        onClick={() => void refetch()}
      >
        {!isFetching && <RotateCw aria-hidden="true" />}
        Try again
      </Button>
    </div>
  )
}
