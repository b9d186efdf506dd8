import type { ReactNode } from 'react'
import { Skeleton } from '../ui/Skeleton.tsx'
import { type FailedQuery, FailurePanel } from './FailurePanel.tsx'

interface LoadedProps<Data> {
  query: FailedQuery & { data: Data | undefined; isLoadingError: boolean }
  /** "your usage": "Loading your usage", and "Your usage could not be loaded" where there is no `failure`. */
  what: string
  failure?: { title: string; text: string }
  /** The skeleton's height, and what else it needs. */
  skeleton: string
  children: (data: Data) => ReactNode
}

/** What a card shows of a query: a skeleton, then its content, or why there is none and another try. */
export function Loaded<Data>({ query, what, failure, skeleton, children }: LoadedProps<Data>) {
  if (query.isLoadingError) {
    const title = failure?.title ?? `${what.charAt(0).toUpperCase()}${what.slice(1)} could not be loaded`
    return <FailurePanel title={title} query={query} {...(failure && { defaultText: failure.text })} />
  }
  if (query.data !== undefined) return children(query.data)
  return (
    <div role="status">
      <span className="sr-only">Loading {what}</span>
      <Skeleton className={`mx-5 mt-4 [:where(&)]:mb-5 sm:mx-6 ${skeleton}`} />
    </div>
  )
}
