import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { ChevronLeft, ChevronRight, Sheet } from 'lucide-react'
import { useSearchParams } from 'react-router-dom'
import { exportStatement, type StatementDay } from '../../../../schema/api/reconciliation.ts'
import { useApi } from '../../../api/ApiProvider.tsx'
import { findingsQuery, statementQuery } from '../../../api/support.ts'
import { ExportButton } from '../../../components/ExportButton.tsx'
import { FailurePanel } from '../../../components/FailurePanel.tsx'
import { formatDate, formatMoney } from '../../../components/format.ts'
import { ListSkeleton } from '../../../components/ListSkeleton.tsx'
import { RouteButton } from '../../../components/RouteButton.tsx'
import { counted, provenText } from '../../../components/support/labels.ts'
import { Page } from '../../../components/support/Page.tsx'
import { Alert } from '../../../ui/Alert.tsx'
import { Card } from '../../../ui/Card.tsx'
import { EmptyState } from '../../../ui/EmptyState.tsx'
import { CreditsTable, MoneyTables } from './StatementTables.tsx'
import { type Period, periodAfter, periodName, readPeriod } from './statement.ts'

/** Money that came in beside credits that went out, for each day of a month or for one. */
export function StatementPage() {
  const [search] = useSearchParams()
  const period = readPeriod(search)
  const api = useApi()
  const statement = useQuery(statementQuery(api, period))
  const proven = useInfiniteQuery(findingsQuery(api, { state: 'open' }))
  return (
    <Page
      title="Statement"
      description="Stripe payments and credits sold, granted, used and clawed back, by UTC day"
      action={<PeriodSwitch period={period} />}
    >
      {statement.isPending || proven.isPending ? (
        <Card className="overflow-clip">
          <ListSkeleton label="Loading the statement" />
        </Card>
      ) : !statement.data ? (
        <Card>
          <FailurePanel title="The statement could not be loaded" query={statement} />
        </Card>
      ) : statement.data.length === 0 ? (
        <Card>
          <EmptyState
            icon={Sheet}
            title="No statement yet"
            className="py-14"
            action={
              search.size > 0 && (
                <RouteButton to="/support/statement" variant="secondary" size="small">
                  This month
                </RouteButton>
              )
            }
          >
            Each completed day appears here.
          </EmptyState>
        </Card>
      ) : (
        <div aria-busy={statement.isPlaceholderData || undefined} className="space-y-4 aria-busy:opacity-60">
          <Verdict days={statement.data} provenDay={proven.data?.pages[0]?.proven_day ?? null} />
          <MoneyTables days={statement.data} />
          <CreditsTable days={statement.data} />
        </div>
      )}
    </Page>
  )
}

function PeriodSwitch({ period }: { period: Period }) {
  const [before, after] = [periodAfter(period, -1), periodAfter(period, 1)]
  return (
    <div className="flex flex-wrap items-center gap-1">
      {'day' in period && (
        <RouteButton to={addressOf({ month: period.day.slice(0, 7) })} variant="quiet" size="small">
          Whole month
        </RouteButton>
      )}
      <RouteButton to={addressOf(before)} aria-label={periodName(before)} variant="quiet" size="icon">
        <ChevronLeft aria-hidden="true" />
      </RouteButton>
      <span className="min-w-32 text-center font-medium text-sm">{periodName(period)}</span>
      <RouteButton to={addressOf(after)} aria-label={periodName(after)} variant="quiet" size="icon">
        <ChevronRight aria-hidden="true" />
      </RouteButton>
      <Export period={period} />
    </div>
  )
}

function addressOf(period: Period): string {
  return `/support/statement?${new URLSearchParams({ ...period })}`
}

function Export({ period }: { period: Period }) {
  const api = useApi()
  return (
    <ExportButton
      load={() => api(exportStatement, { query: period })}
      name={`statement-${'day' in period ? period.day : period.month}`}
      failure="Failed to export the statement"
    />
  )
}

/** Whether everything sums to zero, and otherwise where it does not. */
export function Verdict({ days, provenDay }: { days: readonly StatementDay[]; provenDay: string | null }) {
  const wrong = days.filter(({ agrees }) => agrees === false)
  const open = days.filter(({ state }) => state === 'open').length
  if (wrong.length === 0) {
    const isKnown = days.some(({ agrees }) => agrees === true)
    if (!isKnown) {
      return (
        <Alert tone="info" title={provenText(provenDay)}>
          None of these days is closed: that is done once a day with credits is over, Stripe’s list of its
          payments has been read, and everything until then is proven.
        </Alert>
      )
    }
    return (
      <Alert tone="positive" title="The statement balances">
        {open > 0
          ? `${counted(open, 'day is', 'days are')} not closed yet: Stripe’s list is read when a day is over.`
          : 'Every day is closed, and never changes again.'}
      </Alert>
    )
  }
  return (
    <Alert tone="critical" title={`The statement does not balance on ${counted(wrong.length, 'day')}`}>
      <ul className="mt-1 space-y-1">
        {wrong.map(({ date, unexplained }) => (
          <li key={date}>
            <span className="font-medium">{formatDate(date)}</span>
            {unexplained.map(({ object_id, amount_minor, currency, ...where }) => (
              <span key={object_id} className="block text-xs">
                {unexplainedText(where)} <span className="font-mono">{object_id}</span>,{' '}
                {formatMoney(amount_minor, currency)}
              </span>
            ))}
          </li>
        ))}
      </ul>
    </Alert>
  )
}

function unexplainedText({
  missing,
  other_day,
}: Pick<StatementDay['unexplained'][number], 'missing' | 'other_day'>): string {
  const day = other_day && formatDate(other_day)
  switch (missing) {
    case 'record':
      return `Paid on this day, but ${day ? `recorded here on ${day}` : 'not recorded here'}`
    case 'payment':
      return `Recorded here on this day, but ${day ? `paid on ${day}` : 'Stripe has no payment for it'}`
    case 'none':
      return 'Stripe’s amount differs from ours'
  }
}
