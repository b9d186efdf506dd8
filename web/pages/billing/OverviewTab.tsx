import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Download, History, type LucideIcon, Plus } from 'lucide-react'
import type { ReactNode } from 'react'
import { useApi } from '../../api/ApiProvider.tsx'
import { accountSummaryQuery } from '../../api/account.ts'
import { billingDocumentsQuery, usageSummaryQuery } from '../../api/billing.ts'
import { BalanceParts } from '../../components/account/BalanceParts.tsx'
import { balanceNote, creditsShown, creditsUnit } from '../../components/account/balanceText.ts'
import { LowBalanceBadge } from '../../components/account/LowBalanceBadge.tsx'
import { documentTitle } from '../../components/credits/DocumentList.tsx'
import { FailurePanel } from '../../components/FailurePanel.tsx'
import { formatCreditChange, formatCredits } from '../../components/format.ts'
import { Button } from '../../ui/Button.tsx'
import { Card, CardHeader } from '../../ui/Card.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { NextPaymentCard } from './NextPaymentCard.tsx'
import type { Payer } from './payer.ts'
import type { BillingTab, InvoicesView } from './tabs.ts'

interface OverviewTabProps {
  payer: Payer
  onOpen: (tab: BillingTab, view?: InvoicesView) => void
}

export function OverviewTab({ payer, onOpen }: OverviewTabProps) {
  return (
    <div className="grid grid-cols-1 gap-4 sm:grid-cols-2 sm:gap-5 lg:grid-cols-3">
      <BalanceCard payer={payer} />
      <MonthCard payer={payer} onOpen={onOpen} />
      <NextPaymentCard payer={payer} className="sm:col-span-2 lg:col-span-1" />
      {payer.mayManage && (
        <QuickActions payer={payer} onOpen={onOpen} className="sm:col-span-2 lg:col-span-3" />
      )}
    </div>
  )
}

function BalanceCard({ payer }: { payer: Payer }) {
  const query = useQuery(accountSummaryQuery(useApi(), payer))
  const summary = query.data
  return (
    <FigureCard
      id="balance"
      title="Credit Balance"
      action={summary?.balance.low && <LowBalanceBadge summary={summary} />}
      query={query}
      figure={summary && creditsShown(summary.balance)}
      unit={summary ? creditsUnit(summary.balance) : ''}
    >
      {summary && (
        <>
          <BalanceParts summary={summary} />
          <p className="mt-1 empty:hidden">{balanceNote(summary)}</p>
        </>
      )}
    </FigureCard>
  )
}

function MonthCard({ payer, onOpen }: OverviewTabProps) {
  const usage = useQuery(usageSummaryQuery(useApi(), payer))
  const { this_month, last_month } = usage.data ?? {}
  return (
    <FigureCard
      id="month"
      title="This Month"
      query={usage}
      figure={this_month && (this_month.used === 0 ? '0' : formatCreditChange(-this_month.used))}
      unit="credits used"
    >
      {this_month && last_month && (
        <>
          {this_month.granted > 0 && <p>{formatCreditChange(this_month.granted)} added</p>}
          <p>
            {last_month.used > 0
              ? `${formatCredits(last_month.used)} used last month`
              : 'Nothing used last month'}
          </p>
          <div className="mt-3">
            <Button variant="secondary" size="small" onClick={() => onOpen('usage')}>
              Usage by day
            </Button>
          </div>
        </>
      )}
    </FigureCard>
  )
}

interface FigureCardProps {
  id: string
  title: string
  action?: ReactNode
  query: { isLoadingError: boolean; isFetching: boolean; error: unknown; refetch: () => unknown }
  /** Undefined while it is loading. */
  figure: string | undefined
  unit: string
  children: ReactNode
}

function FigureCard({ id, title, action, query, figure, unit, children }: FigureCardProps) {
  return (
    <Card aria-labelledby={`${id}-title`} className="flex min-h-42 sm:min-h-48 flex-col">
      <CardHeader id={`${id}-title`} title={title} action={action} />
      {query.isLoadingError ? (
        <FailurePanel
          title="Error"
          error={query.error}
          defaultText="Failed to load billing information"
          busy={query.isFetching}
          onRetry={() => void query.refetch()}
        />
      ) : (
        <div className="px-5 pt-3 pb-5 sm:px-6">
          {figure === undefined ? (
            <div role="status">
              <span className="sr-only">Loading {title}</span>
              <Skeleton className="h-10 w-28" />
              <Skeleton className="mt-3 h-4 w-40" />
            </div>
          ) : (
            <>
              <p className="font-semibold text-3xl tabular-nums">
                <span>{figure}</span>{' '}
                <span className="font-normal text-muted text-sm tracking-normal">{unit}</span>
              </p>
              <div className="mt-2 text-muted text-sm tabular-nums">{children}</div>
            </>
          )}
        </div>
      )}
    </Card>
  )
}

function QuickActions({ payer, onOpen, className }: OverviewTabProps & { className: string }) {
  const documents = useInfiniteQuery(billingDocumentsQuery(useApi(), payer))
  const items = documents.data?.pages.flatMap((page) => page.items) ?? []
  const latest = items.find(({ pdf_url }) => pdf_url) ?? items.find(({ hosted_url }) => hosted_url)
  return (
    <Card aria-labelledby="actions-title" className={className}>
      <CardHeader id="actions-title" title="Quick Actions" />
      <div className="grid gap-1 px-2 pt-2 pb-2 sm:px-3 lg:grid-cols-3 lg:pb-3">
        <Action
          Icon={Plus}
          label="Buy Credits"
          note="Packs or any amount"
          onClick={() => onOpen('credits')}
        />
        <Action
          Icon={Download}
          label="Download Invoice"
          note={
            latest
              ? documentTitle(latest)
              : documents.isPending
                ? 'Looking for the latest…'
                : documents.isError
                  ? 'Not available right now'
                  : 'There is none yet'
          }
          href={latest?.pdf_url ?? latest?.hosted_url ?? null}
        />
        <Action
          Icon={History}
          label="View History"
          note="Every credit in and out"
          onClick={() => onOpen('invoices', 'transactions')}
        />
      </div>
    </Card>
  )
}

interface ActionProps {
  Icon: LucideIcon
  label: string
  note: string
  onClick?: () => void
  /** A file or page elsewhere; null while there is none. */
  href?: string | null
}

function Action({ Icon, label, note, onClick, href }: ActionProps) {
  const style =
    'flex min-w-0 items-center gap-3 rounded-control px-3 py-2.5 text-left transition-colors enabled:hover:bg-hover disabled:cursor-not-allowed disabled:text-muted [a&]:hover:bg-hover'
  const content = (
    <>
      <span className="grid size-9 shrink-0 place-items-center rounded-control bg-accent-soft text-accent-text">
        <Icon aria-hidden="true" className="size-4" />
      </span>
      <span className="min-w-0">
        <span className="block font-medium text-sm">{label}</span>
        <span className="block truncate text-muted text-xs">{note}</span>
      </span>
    </>
  )
  if (href) {
    return (
      <a href={href} target="_blank" rel="noreferrer" className={style}>
        {content}
      </a>
    )
  }
  return (
    <button type="button" disabled={!onClick} onClick={onClick} className={style}>
      {content}
    </button>
  )
}
