import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { ScrollText } from 'lucide-react'
import { useSearchParams } from 'react-router-dom'
import { useApi } from '../../../api/ApiProvider.tsx'
import { type AuditFilter, actProgressQuery, auditQuery } from '../../../api/support-acts.ts'
import { FailurePanel } from '../../../components/FailurePanel.tsx'
import { ListSkeleton } from '../../../components/ListSkeleton.tsx'
import { ShowMore } from '../../../components/ShowMore.tsx'
import { BatchProgress } from '../../../components/support/acts/BatchProgress.tsx'
import { ClearFilter } from '../../../components/support/ClearFilter.tsx'
import { Page } from '../../../components/support/Page.tsx'
import { Card } from '../../../ui/Card.tsx'
import { EmptyState } from '../../../ui/EmptyState.tsx'
import { AuditEntries } from './AuditEntries.tsx'

/** The append-only log of what support staff requested and did. */
export function AuditPage() {
  const [search, setSearch] = useSearchParams()
  const filter = readFilter(search)
  const isFiltered = Object.keys(filter).length > 0
  const api = useApi()
  const log = useInfiniteQuery(auditQuery(api, filter))
  const entries = log.data?.pages.flatMap(({ items }) => items) ?? []
  const { batch_id = '' } = filter
  const batch = useQuery({ ...actProgressQuery(api, { batch_id }), enabled: batch_id !== '' })
  const acts = batch.data?.acts ?? []
  return (
    <Page
      title="Audit log"
      description="What support staff did and viewed; entries cannot be deleted"
      action={isFiltered && <ClearFilter onClear={() => setSearch({})} />}
    >
      <Card className="@container overflow-clip">
        {log.isPending || batch.isLoading ? (
          <ListSkeleton label="Loading the audit log" />
        ) : log.isLoadingError ? (
          <FailurePanel title="The audit log could not be loaded" query={log} />
        ) : entries.length === 0 ? (
          <EmptyState
            icon={ScrollText}
            title={isFiltered ? 'No results for this filter' : 'No acts yet'}
            className="py-14"
          >
            {isFiltered
              ? 'The address names one customer, colleague, act or batch.'
              : 'Each act of support staff is recorded here, with its reason.'}
          </EmptyState>
        ) : (
          <>
            {acts.length > 0 && (
              <section aria-label="Acts that were asked for together" className="border-line border-b p-4">
                <BatchProgress batchId={batch_id} acts={acts} refused={[]} />
              </section>
            )}
            <AuditEntries entries={entries} />
            <ShowMore query={log} label="Show older" failure="Could not load more. Please try again." />
          </>
        )}
      </Card>
    </Page>
  )
}

function readFilter(search: URLSearchParams): AuditFilter {
  const names = ['owner_id', 'actor', 'act_id', 'batch_id'] as const
  return Object.fromEntries(
    names.flatMap((name) => [[name, search.get(name)?.trim()]]).filter(([, value]) => value),
  )
}
