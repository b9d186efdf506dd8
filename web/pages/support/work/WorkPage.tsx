import { useInfiniteQuery } from '@tanstack/react-query'
import { clsx } from 'clsx'
import { ExternalLink, Inbox } from 'lucide-react'
import { Link, useSearchParams } from 'react-router-dom'
import type { WorkList, WorkState } from '../../../../schema/api/support.ts'
import { useApi } from '../../../api/ApiProvider.tsx'
import { findingsQuery, workQuery } from '../../../api/support.ts'
import { FailurePanel } from '../../../components/FailurePanel.tsx'
import { formatCredits } from '../../../components/format.ts'
import { ListSkeleton } from '../../../components/ListSkeleton.tsx'
import { ShowMore } from '../../../components/ShowMore.tsx'
import { traceAddress } from '../../../components/support/addresses.ts'
import { ClearFilter } from '../../../components/support/ClearFilter.tsx'
import { ageText, provenText } from '../../../components/support/labels.ts'
import { utcTime } from '../../../components/support/Moment.tsx'
import { Page } from '../../../components/support/Page.tsx'
import { momentText } from '../../../content/support/words.ts'
import { Card } from '../../../ui/Card.tsx'
import { EmptyState } from '../../../ui/EmptyState.tsx'
import { Cell, Table } from '../../../ui/Table.tsx'
import { Approvals } from './Approvals.tsx'
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
            Looked at events, checkouts, subscriptions and invitations at {utcTime(first.as_of)}. Stripe’s
            list of events was{' '}
            {first.stripe_listed_at ? `last read on ${momentText(first.stripe_listed_at)}` : 'never read'}:
            what was paid since may not be here yet.
          </EmptyState>
        ) : (
          <div aria-busy={work.isPlaceholderData || undefined} className="aria-busy:opacity-60">
            <WorkTable rows={work.data.pages.flatMap(({ rows }) => rows)} asOf={first.as_of} />
            <ShowMore query={work} />
          </div>
        )}
      </Card>
      {first && <Queues queues={first.queues} />}
    </Page>
  )
}

/**
 * The length of the queues. Jobs are recreated from rows, so a lost queue loses nothing, and a job that failed
 * is one try: what has failed for good is counted above.
 */
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
              { name: 'Failed tries', align: 'right' },
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
                  <Cell of="Failed tries">{formatCredits(failed)}</Cell>
                </tr>
              ))}
            </tbody>
          </Table>
        </Card>
      )}
    </section>
  )
}

/** The amount of work at a glance; each figure links to its list. */
function Figures({ work }: { work: WorkList | undefined }) {
  const findings = useInfiniteQuery(findingsQuery(useApi(), { state: 'open' })).data?.pages[0]
  const open = findings?.counts.reduce((sum, { count }) => sum + count, 0)
  const oldest = work?.oldest_unapplied_event
  return (
    <dl className="mb-5 grid grid-cols-2 gap-px overflow-clip rounded-card border bg-line shadow-low lg:grid-cols-4">
      <Figure
        label="Failed"
        to="/support?state=failed"
        value={countOf(work, 'failed')}
        isBad={work?.counts.some(({ state, count }) => state === 'failed' && count > 0) ?? false}
        note="Given up; nothing tries them again"
      />
      <Figure
        label="Stuck"
        to="/support?state=stuck"
        value={countOf(work, 'stuck')}
        isBad={false}
        note="Still tried, for too long"
      />
      <Figure
        label="Oldest unapplied event"
        to={oldest ? traceAddress({ kind: 'event', id: oldest.id }) : null}
        value={work ? (oldest ? ageText(oldest.received_at, work.as_of) : 'None') : undefined}
        isBad={false}
        note={oldest ? oldest.type : 'No event waits to be applied'}
      />
      <Figure
        label="Differences"
        to="/support/reconciliation"
        value={open === undefined ? undefined : formatCredits(open)}
        isBad={(open ?? 0) > 0}
        note={findings ? provenText(findings.proven_day) : ''}
      />
    </dl>
  )
}

interface FigureProps {
  label: string
  to: string | null
  /** Undefined until it is known. */
  value: string | undefined
  isBad: boolean
  note: string
}

function Figure({ label, to, value, isBad, note }: FigureProps) {
  const isCritical = isBad && value !== undefined
  return (
    <div className="relative min-w-0 bg-surface px-4 py-3 has-[a:hover]:bg-sunken">
      <dt className="truncate text-muted text-xs">
        {to ? (
          <Link to={to} className="after:absolute after:inset-0">
            {label}
          </Link>
        ) : (
          label
        )}
      </dt>
      <dd
        className={clsx(
          'mt-0.5 font-semibold text-xl tabular-nums tracking-tight',
          isCritical && 'text-critical',
        )}
      >
        {value ?? '–'}
      </dd>
      <dd className="text-faint text-xs [overflow-wrap:anywhere]">{note}</dd>
    </div>
  )
}

function countOf(work: WorkList | undefined, wanted: WorkState): string | undefined {
  if (!work) return undefined
  const counts = work.counts.filter(({ state }) => state === wanted)
  const sum = counts.reduce((total, { count }) => total + count, 0)
  return `${formatCredits(sum)}${counts.some(({ capped }) => capped) ? '+' : ''}`
}
