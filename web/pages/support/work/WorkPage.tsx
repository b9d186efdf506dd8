import { useInfiniteQuery } from '@tanstack/react-query'
import { ExternalLink, Inbox } from 'lucide-react'
import { useSearchParams } from 'react-router-dom'
import type { WorkList } from '../../../../schema/api/support.ts'
import { useApi } from '../../../api/ApiProvider.tsx'
import { workQuery } from '../../../api/support.ts'
import { FailurePanel } from '../../../components/FailurePanel.tsx'
import { formatCredits } from '../../../components/format.ts'
import { ListSkeleton } from '../../../components/ListSkeleton.tsx'
import { ShowMore } from '../../../components/ShowMore.tsx'
import { ClearFilter } from '../../../components/support/ClearFilter.tsx'
import { Page } from '../../../components/support/Page.tsx'
import { Card } from '../../../ui/Card.tsx'
import { EmptyState } from '../../../ui/EmptyState.tsx'
import { Cell, Table } from '../../../ui/Table.tsx'
import { Approvals } from './Approvals.tsx'
import { Figures } from './Figures.tsx'
import { FilterBar } from './FilterBar.tsx'
import { readFilter } from './filter.ts'
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

/** The length of the queues. Jobs are recreated from rows, so a lost queue loses nothing. */
function Queues({ queues }: Pick<WorkList, 'queues'>) {
  return (
    <section aria-labelledby="queues-title" className="mt-6">
      <div className="mb-2 flex items-baseline justify-between gap-4">
        <h2 id="queues-title" className="font-semibold text-sm">
          Queues
        </h2>
        {/* Not a page of the web app: the server answers it. */}
        <a
          href="/support/queues/"
          target="_blank"
          rel="noreferrer"
          className="inline-flex items-center gap-1 rounded-sm font-medium text-accent-text text-xs hover:underline"
        >
          Open their jobs
          <ExternalLink aria-hidden="true" className="size-3" />
        </a>
      </div>
      {queues === null ? (
        <p className="text-muted text-sm">The queues do not answer at the moment.</p>
      ) : (
        <Card className="overflow-clip">
          <Table
            size="dense"
            caption="Jobs in each queue"
            columns={[
              { name: 'Queue', namesRow: true },
              { name: 'Waiting', align: 'right' },
              { name: 'Active', align: 'right' },
              { name: 'Delayed', align: 'right' },
              { name: 'Failed', align: 'right' },
            ]}
          >
            <tbody className="divide-y divide-line">
              {queues.map(({ name, waiting, active, delayed, failed }) => (
                <tr key={name}>
                  <Cell of="Queue" className="[overflow-wrap:anywhere]">
                    {name}
                  </Cell>
                  <Cell of="Waiting">{formatCredits(waiting)}</Cell>
                  <Cell of="Active">{formatCredits(active)}</Cell>
                  <Cell of="Delayed">{formatCredits(delayed)}</Cell>
                  <Cell of="Failed" className={failed > 0 ? 'font-medium text-critical' : undefined}>
                    {formatCredits(failed)}
                  </Cell>
                </tr>
              ))}
            </tbody>
          </Table>
        </Card>
      )}
    </section>
  )
}
