import { useInfiniteQuery } from '@tanstack/react-query'
import { Eye, FileQuestion } from 'lucide-react'
import { useNavigate, useSearchParams } from 'react-router-dom'
import type { SupportTrace } from '../../../../schema/api/support.ts'
import { useApi } from '../../../api/ApiProvider.tsx'
import { isStatus } from '../../../api/failure.ts'
import { type Case, traceQuery } from '../../../api/support.ts'
import { FailurePanel } from '../../../components/FailurePanel.tsx'
import { ListSkeleton } from '../../../components/ListSkeleton.tsx'
import { RouteButton } from '../../../components/RouteButton.tsx'
import { withParameter } from '../../../components/support/addresses.ts'
import { utcTime } from '../../../components/support/Moment.tsx'
import { Page } from '../../../components/support/Page.tsx'
import { useKeys } from '../../../components/support/useKeys.ts'
import { kindName } from '../../../content/support/timeline.ts'
import { Card } from '../../../ui/Card.tsx'
import { EmptyState } from '../../../ui/EmptyState.tsx'
import { Segments } from '../../../ui/Segments.tsx'
import { Skeleton } from '../../../ui/Skeleton.tsx'
import { CaseActions, CaseFacts } from './CaseFacts.tsx'
import { CaseSummaryCard } from './CaseSummaryCard.tsx'
import { CustomerView } from './CustomerView.tsx'
import { Timeline } from './Timeline.tsx'

/** The payments and credits of one owner, with the expected state. */
export function TracePage() {
  const [search] = useSearchParams()
  const navigate = useNavigate()
  useKeys({ escape: () => void (window.history.length > 1 ? navigate(-1) : navigate('/support')) })
  const asked = readCase(search)
  if (!asked.owner && !asked.id) return <Unknown />
  return <OneCase key={asked.owner ?? `${asked.kind}:${asked.id}`} asked={asked} />
}

function OneCase({ asked }: { asked: Case }) {
  const [view, setView] = useView()
  const trace = useInfiniteQuery(traceQuery(useApi(), asked))
  if (trace.isPending) return <CaseSkeleton />
  if (isStatus(trace.error, 404)) return <Unknown />
  const first = trace.data?.pages[0]
  if (!trace.data || !first) {
    return (
      <Page title="Trace">
        <Card>
          <FailurePanel title="The trace could not be loaded" query={trace} />
        </Card>
      </Page>
    )
  }
  const items = trace.data.pages.flatMap(({ timeline }) => timeline)
  const names = Object.assign({}, ...trace.data.pages.map((page) => page.names))
  const context = { as_of: first.as_of, names }
  return (
    <Page title={titleOf(first)} action={first.owner && <CaseActions trace={first} owner={first.owner} />}>
      <Visitors {...first} />
      <div className="grid grid-cols-1 items-start gap-4 lg:grid-cols-[minmax(0,1fr)_18rem]">
        <div className="min-w-0 space-y-4">
          {first.case_summary && (
            <CaseSummaryCard
              summary={first.case_summary}
              owner={first.owner?.id ?? ''}
              isClerkAway={first.person?.at_clerk === 'unknown'}
            />
          )}
          {!first.owner && <OwnerUnknown />}
          {first.owner && (
            <Segments label="View" name="case-view" value={view} options={views} onChange={setView} />
          )}
          {first.owner && view === 'customer' ? (
            <CustomerView owner={first.owner} name={titleOf(first)} />
          ) : (
            <Timeline
              items={items}
              owner={first.owner?.id ?? null}
              highlighted={first.highlighted}
              summary={first.case_summary}
              context={context}
              query={trace}
            />
          )}
        </div>
        <CaseFacts trace={first} />
      </div>
    </Page>
  )
}

const views = [
  { value: 'timeline', label: 'Timeline' },
  { value: 'customer', label: 'What the customer sees' },
] as const
type View = (typeof views)[number]['value']

function useView(): [View, (view: View) => void] {
  const [search, setSearch] = useSearchParams()
  return [
    search.get('view') === 'customer' ? 'customer' : 'timeline',
    (view) =>
      setSearch((before) => withParameter(before, 'view', view === 'customer' ? view : null), {
        replace: true,
      }),
  ]
}

function readCase(search: URLSearchParams): Case {
  const [owner, kind, id] = [search.get('owner'), search.get('kind'), search.get('id')]
  return { ...(owner && { owner }), ...(kind && id && { kind, id }) }
}

function titleOf(trace: SupportTrace): string {
  const { owner, person, highlighted } = trace
  if (person?.forgotten_at) return 'Erased person'
  if (owner) return person?.name ?? person?.email ?? owner.label ?? owner.id
  return highlighted ? `${kindName(highlighted.kind)} without a matching customer` : 'Trace'
}

function OwnerUnknown() {
  return (
    <Card className="px-4 py-3 text-sm">
      <p className="font-medium">No matching customer</p>
      <p className="mt-0.5 text-muted">
        It may be of another application that shares the Stripe account or the Clerk instance, or of a
        customer who was never written down.
      </p>
    </Card>
  )
}

function Unknown() {
  return (
    <Page title="Trace">
      <Card>
        <EmptyState
          icon={FileQuestion}
          title="Case not found"
          className="py-14"
          action={
            <RouteButton to="/support/search" variant="secondary" size="small">
              Search
            </RouteButton>
          }
        >
          No customer or object matches this address.
        </EmptyState>
      </Card>
    </Page>
  )
}

function CaseSkeleton() {
  return (
    <Page title="Trace">
      <div className="grid grid-cols-1 gap-4 lg:grid-cols-[minmax(0,1fr)_18rem]">
        <div className="space-y-4">
          <Skeleton className="h-52 rounded-card" />
          <Card>
            <ListSkeleton label="Loading the trace" />
          </Card>
        </div>
        <Skeleton className="h-72 rounded-card" />
      </div>
    </Page>
  )
}

/** Colleagues who have the case open, so that two people do not act at once. */
function Visitors({ visitors, names }: SupportTrace) {
  return (
    <div role="status">
      {visitors.map(({ user_id, since }) => (
        <p
          key={user_id}
          className="mb-3 flex items-center gap-2 rounded-control border border-caution-line bg-caution-soft px-3 py-2 text-sm"
        >
          <Eye aria-hidden="true" className="size-4 shrink-0 text-caution" />
          {names[user_id]} is looking at this too, since {utcTime(since)}.
        </p>
      ))}
    </div>
  )
}
