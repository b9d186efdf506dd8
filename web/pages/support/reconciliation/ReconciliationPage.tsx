import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query'
import { RefreshCw, Scale } from 'lucide-react'
import { Link, useSearchParams } from 'react-router-dom'
import { type FindingKind, findingKinds } from '../../../../schema/api/findings.ts'
import { type FindingsList, requestReconciliation } from '../../../../schema/api/reconciliation.ts'
import { useApi } from '../../../api/ApiProvider.tsx'
import { type FindingsFilter, findingsQuery, supportKey } from '../../../api/support.ts'
import { FailurePanel } from '../../../components/FailurePanel.tsx'
import { formatCredits, formatMoney } from '../../../components/format.ts'
import { ListSkeleton } from '../../../components/ListSkeleton.tsx'
import { ShowMore } from '../../../components/ShowMore.tsx'
import { ClearFilter } from '../../../components/support/ClearFilter.tsx'
import { counted, provenText } from '../../../components/support/labels.ts'
import { Moment } from '../../../components/support/Moment.tsx'
import { Page } from '../../../components/support/Page.tsx'
import { toastFailure } from '../../../components/toastFailure.ts'
import { reasonText } from '../../../content/support/failures.ts'
import { findingName } from '../../../content/support/findings.ts'
import { momentText } from '../../../content/support/words.ts'
import { Badge } from '../../../ui/Badge.tsx'
import { Button } from '../../../ui/Button.tsx'
import { Card } from '../../../ui/Card.tsx'
import { EmptyState } from '../../../ui/EmptyState.tsx'
import { Findings } from './Findings.tsx'

/** Where Stripe, Clerk, the facts, the books and the seats differ. */
export function ReconciliationPage() {
  const [search, setSearch] = useSearchParams()
  const kind = findingKinds.find((name) => name === search.get('kind'))
  const filter: FindingsFilter = {
    state: search.get('state') === 'gone' ? 'gone' : 'open',
    ...(kind && { kind }),
  }
  const found = useInfiniteQuery(findingsQuery(useApi(), filter))
  const first = found.data?.pages[0]
  const compare = useCompare()
  return (
    <Page
      title="Reconciliation"
      description="Stripe and Clerk compared with our facts, books and seats, customer by customer"
    >
      {found.isPending ? (
        <Card className="overflow-clip">
          <ListSkeleton label="Loading the differences" />
        </Card>
      ) : !found.data || !first ? (
        <Card>
          <FailurePanel title="The differences could not be loaded" query={found} />
        </Card>
      ) : (
        <>
          <LastRun
            run={first.last_run}
            provenDay={first.proven_day}
            isBusy={compare.isPending}
            onCompare={() => compare.mutate()}
          />
          <div className="grid grid-cols-1 items-start gap-4 lg:grid-cols-[16rem_minmax(0,1fr)]">
            <Kinds counts={first.counts} filter={filter} />
            <Card
              aria-busy={found.isPlaceholderData || undefined}
              className="@container overflow-clip aria-busy:opacity-60"
            >
              {first.findings.length === 0 ? (
                <EmptyState
                  icon={Scale}
                  title={filter.state === 'open' ? 'No differences' : 'No difference has been repaired yet'}
                  className="py-14"
                  action={kind && <ClearFilter onClear={() => setSearch({ state: filter.state })} />}
                >
                  {first.last_run?.state === 'done'
                    ? `Stripe, Clerk and our rows were compared on ${momentText(first.last_run.began_at)}; what came later is compared next.`
                    : 'The comparison has not come to its end, so it is not known whether there are any.'}
                </EmptyState>
              ) : (
                <>
                  <Findings
                    findings={found.data.pages.flatMap(({ findings }) => findings)}
                    kind={kind ?? null}
                    onRepaired={() => compare.mutate()}
                  />
                  <ShowMore query={found} />
                </>
              )}
            </Card>
          </div>
        </>
      )}
    </Page>
  )
}

/** Only a comparison resolves differences. */
function useCompare() {
  const api = useApi()
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: () => api(requestReconciliation, { body: {} }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: supportKey }),
    onError: toastFailure('The comparison could not be started'),
  })
}

interface LastRunProps {
  run: FindingsList['last_run']
  provenDay: string | null
  isBusy: boolean
  onCompare: () => void
}

/** The latest comparison, how far it has come, and the last day of which everything is proven. */
function LastRun({ run, provenDay, isBusy, onCompare }: LastRunProps) {
  const isUnderWay = run?.state === 'waiting' || run?.state === 'running'
  return (
    <Card className="mb-4 flex flex-wrap items-center justify-between gap-x-6 gap-y-3 px-4 py-3 text-sm">
      <div className="min-w-0 flex-1 basis-64" role="status">
        <p className="flex flex-wrap items-center gap-2">
          <span className="font-medium">{provenText(provenDay)}</span>
          {run && <RunBadge run={run} />}
        </p>
        <p className="mt-0.5 text-muted text-xs [overflow-wrap:anywhere]">
          {run ? (
            <>
              Compared <Moment at={run.ended_at ?? run.began_at} />{' '}
              {run.requested_by === 'schedule' ? 'on schedule' : `by ${run.requested_by}`}
              {run.compared
                .filter(({ count }) => count > 0)
                .map(({ what, count }) => ` · ${what}: ${formatCredits(count)}`)}
            </>
          ) : (
            'Nothing has been compared yet.'
          )}
        </p>
        {run?.error && <p className="mt-0.5 text-critical text-xs">{reasonText(run.error)}</p>}
      </div>
      <Button variant="secondary" size="small" busy={isBusy || isUnderWay} onClick={onCompare}>
        {!(isBusy || isUnderWay) && <RefreshCw aria-hidden="true" />}
        Compare now
      </Button>
    </Card>
  )
}

function RunBadge({ run }: { run: NonNullable<FindingsList['last_run']> }) {
  switch (run.state) {
    case 'waiting':
      return <Badge tone="accent">Starting</Badge>
    case 'running':
      return <Badge tone="accent">Comparing</Badge>
    case 'failed':
      return <Badge tone="critical">Failed</Badge>
    case 'done':
      return run.findings === 0 ? (
        <Badge tone="positive">No differences</Badge>
      ) : (
        <Badge tone="critical">{counted(run.findings, 'difference')}</Badge>
      )
  }
}

/** The number of findings of each kind; each is a filter. */
function Kinds({ counts, filter }: { counts: FindingsList['counts']; filter: FindingsFilter }) {
  const total = counts.reduce((sum, { count }) => sum + count, 0)
  return (
    <Card aria-label="Kinds of differences" className="p-1.5">
      <nav aria-label="Kinds of differences" className="flex flex-col gap-px text-sm">
        <KindLink
          query=""
          name="All open"
          count={total}
          stake={null}
          isActive={filter.state === 'open' && !filter.kind}
        />
        {counts.map(({ kind, count, ...stake }) => (
          <KindLink
            key={kind}
            query={`?kind=${kind}`}
            name={findingName(kind)}
            count={count}
            stake={stakeOf(stake)}
            isActive={filter.state === 'open' && filter.kind === kind}
          />
        ))}
        <KindLink
          query="?state=gone"
          name="Repaired"
          count={null}
          stake={null}
          isActive={filter.state === 'gone'}
        />
      </nav>
    </Card>
  )
}

interface KindLinkProps {
  query: string
  name: string
  count: number | null
  stake: string | null
  isActive: boolean
}

function KindLink({ query, name, count, stake, isActive }: KindLinkProps) {
  return (
    <Link
      to={`/support/reconciliation${query}`}
      aria-current={isActive || undefined}
      className="grid grid-cols-[minmax(0,1fr)_auto] gap-x-3 rounded-md px-2.5 py-1.5 font-medium text-muted hover:bg-hover hover:text-ink aria-[current=true]:bg-hover aria-[current=true]:text-ink"
    >
      {name}
      <span className="tabular-nums">{count !== null && formatCredits(count)}</span>
      {stake && <span className="col-span-2 font-normal text-muted text-xs">{stake}</span>}
    </Link>
  )
}

type Counted = FindingsList['counts'][number] & { kind: FindingKind }

function stakeOf({
  money,
  credits_missing,
  credits_too_many,
}: Omit<Counted, 'kind' | 'count'>): string | null {
  const parts = [
    ...money.map(({ amount_minor, currency }) => formatMoney(amount_minor, currency)),
    ...(credits_missing > 0 ? [`${formatCredits(credits_missing)} missing`] : []),
    ...(credits_too_many > 0 ? [`${formatCredits(credits_too_many)} too many`] : []),
  ]
  return parts.join(' · ') || null
}
