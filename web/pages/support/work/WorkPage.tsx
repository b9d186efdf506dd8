import { useInfiniteQuery } from '@tanstack/react-query'
import { Inbox } from 'lucide-react'
import { useSearchParams } from 'react-router-dom'
import { useApi } from '../../../api/ApiProvider.tsx'
import { workQuery } from '../../../api/support.ts'
import { FailurePanel } from '../../../components/FailurePanel.tsx'
import { ListSkeleton } from '../../../components/ListSkeleton.tsx'
import { ShowMore } from '../../../components/ShowMore.tsx'
import { ClearFilter } from '../../../components/support/ClearFilter.tsx'
import { Page } from '../../../components/support/Page.tsx'
import { Card } from '../../../ui/Card.tsx'
import { EmptyState } from '../../../ui/EmptyState.tsx'
import { Approvals } from './Approvals.tsx'
import { Figures } from './Figures.tsx'
import { FilterBar } from './FilterBar.tsx'
import { readFilter } from './filter.ts'
import { Queues } from './Queues.tsx'
import { WorkTable } from './WorkTable.tsx'

export function WorkPage() {
  const [search, setSearch] = useSearchParams()
  const filter = readFilter(search)
  const work = useInfiniteQuery(workQuery(useApi(), filter))
  const first = work.data?.pages[0]
  const isFiltered = search.size > 0
  return (
    <Page title="Work" description="Failed and stuck items, and acts that wait for approval">
      <Figures work={first} />
      <Approvals />
      <FilterBar />
      <Card className="overflow-clip">
        {work.isPending ? (
          <ListSkeleton label="Loading the work" />
        ) : work.isLoadingError || !first ? (
          <FailurePanel title="The work could not be loaded" query={work} />
        ) : first.rows.length === 0 ? (
          <EmptyState
            icon={Inbox}
            title={isFiltered ? 'No results for this filter' : 'No failed or stuck items'}
            className="py-14"
            action={isFiltered && <ClearFilter onClear={() => setSearch({})} />}
          >
            {!isFiltered &&
              'All payments have been delivered. Failed and stuck items appear here automatically.'}
          </EmptyState>
        ) : (
          <div aria-busy={work.isPlaceholderData || undefined} className="aria-busy:opacity-60">
            <WorkTable rows={work.data.pages.flatMap(({ rows }) => rows)} asOf={first.as_of} />
            <ShowMore query={work} label="Show more" failure="Could not load more. Please try again." />
          </div>
        )}
      </Card>
      {first && <Queues queues={first.queues} />}
    </Page>
  )
}
