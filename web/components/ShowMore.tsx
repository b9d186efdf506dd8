import { Button } from '../ui/Button.tsx'

interface ShowMoreProps {
  query: {
    hasNextPage: boolean
    isFetchingNextPage: boolean
    isFetchNextPageError: boolean
    fetchNextPage: () => unknown
  }
  label?: string
  /** What there is more of. */
  of?: string
}

/** Leads from the last page that is shown to the next one. */
export function ShowMore({ query, label = 'Show more', of }: ShowMoreProps) {
  return (
    <>
      {query.isFetchNextPageError && (
        <p role="alert" className="border-t px-6 pt-3 text-critical text-sm">
          Could not load more{of && ` ${of}`}. Please try again.
        </p>
      )}
      {query.hasNextPage && (
        <div className="border-t p-2">
          <Button
            variant="quiet"
            size="small"
            className="w-full"
            busy={query.isFetchingNextPage}
            onClick={() => void query.fetchNextPage()}
          >
            {label}
          </Button>
        </div>
      )}
    </>
  )
}
