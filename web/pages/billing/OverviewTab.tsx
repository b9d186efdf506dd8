import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Download, History, type LucideIcon, Plus } from 'lucide-react'
import type { ReactNode } from 'react'
import { Link } from 'react-router-dom'
import type { NextPayment } from '../../../schema/api/account.ts'
import { chooseMails } from '../../../schema/api/mails.ts'
import { useApi } from '../../api/ApiProvider.tsx'
import { accountSummaryQuery, nextPaymentQuery } from '../../api/account.ts'
import { billingDocumentsQuery, usageSummaryQuery } from '../../api/billing.ts'
import {
  BalanceParts,
  balanceNote,
  creditsShown,
  creditsUnit,
  LowBalanceBadge,
} from '../../components/account/balance.tsx'
import { cardName } from '../../components/account/card.ts'
import { PlanSteps } from '../../components/account/PlanSteps.tsx'
import { PortalButton } from '../../components/account/PortalButton.tsx'
import type { Payer } from '../../components/account/usePayer.ts'
import { documentTitle } from '../../components/credits/DocumentList.tsx'
import { type FailedQuery, FailurePanel } from '../../components/FailurePanel.tsx'
import { formatCreditChange, formatCredits, formatDay, formatMoney } from '../../components/format.ts'
import { toastFailure } from '../../components/toastFailure.ts'
import { Badge } from '../../ui/Badge.tsx'
import { Button } from '../../ui/Button.tsx'
import { Card, CardHeader } from '../../ui/Card.tsx'
import { cn } from '../../ui/cn.ts'
import { Skeleton } from '../../ui/Skeleton.tsx'
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
      <NextPaymentCard payer={payer} />
      {payer.mayManage && (
        <QuickActions payer={payer} onOpen={onOpen} className="sm:col-span-2 lg:col-span-3" />
      )}
      <MailSwitch payer={payer} />
    </div>
  )
}

/** Whether the reader gets mails about this payer. */
function MailSwitch({ payer }: { payer: Payer }) {
  const api = useApi()
  const queryClient = useQueryClient()
  const query = accountSummaryQuery(api, payer)
  const isOn = useQuery(query).data?.mails ?? null
  const choose = useMutation({
    mutationFn: (on: boolean) => api(chooseMails, { query: { payer: payer.payer }, body: { on } }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: query.queryKey }),
    onError: toastFailure('Failed to change your mails'),
  })
  if (isOn === null) return null
  return (
    <Card className="sm:col-span-2 lg:col-span-3">
      <label className="flex items-center gap-2.5 px-5 py-4 text-sm sm:px-6">
        <input
          type="checkbox"
          className="accent-accent"
          checked={choose.isPending ? choose.variables : isOn}
          onChange={(event) => choose.mutate(event.target.checked)}
        />
        E-mail me when credits are low, a limit is reached or a payment needs me
      </label>
    </Card>
  )
}

function BalanceCard({ payer }: { payer: Payer }) {
  const query = useQuery(accountSummaryQuery(useApi(), payer))
  const summary = query.data
  return (
    <FigureCard
      id="balance"
      title="Credit Balance"
      badge={summary?.balance.low && <LowBalanceBadge summary={summary} />}
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
      action={
        <Button variant="secondary" size="small" onClick={() => onOpen('usage')}>
          Usage by day
        </Button>
      }
    >
      {this_month && last_month && (
        <>
          {this_month.granted > 0 && <p>{formatCreditChange(this_month.granted)} added</p>}
          <p>
            {last_month.used > 0
              ? `${formatCredits(last_month.used)} used last month`
              : 'Nothing used last month'}
          </p>
        </>
      )}
    </FigureCard>
  )
}

function NextPaymentCard({ payer }: { payer: Payer }) {
  // The server has asked Stripe three times already.
  const next = useQuery({ ...nextPaymentQuery(useApi(), payer), retry: false, enabled: payer.mayManage })
  const { payment, card } = next.data ?? {}
  const amount = payment ? formatMoney(payment.amount_minor, payment.currency) : 'None'
  return (
    <FigureCard
      id="payment"
      title="Next Payment"
      className="sm:col-span-2 lg:col-span-1"
      badge={payment?.overdue && <Badge tone="caution">Past Due</Badge>}
      failure="Not available right now"
      query={next}
      figure={payer.mayManage ? next.data && amount : ''}
      unit=""
      action={
        payer.mayManage && (
          <>
            <p className="mr-auto text-faint text-xs">{card && cardName(card)}</p>
            {!payment && !card && (
              <Link to="/pricing" className="font-medium text-accent-text text-sm hover:underline">
                View plans
              </Link>
            )}
            <PortalButton payer={payer} />
          </>
        )
      }
    >
      {!payer.mayManage
        ? 'Only organization administrators can view billing settings.'
        : payment
          ? whenText(payment)
          : 'No payment is scheduled.'}
    </FigureCard>
  )
}

function whenText({ at, overdue }: NonNullable<NextPayment['payment']>): string {
  if (overdue)
    return at ? `The last attempt failed. We will try again on ${formatDay(at)}.` : 'The last attempt failed.'
  return at ? `on ${formatDay(at)}` : ''
}

interface FigureCardProps {
  id: string
  title: string
  className?: string
  badge?: ReactNode
  /** At the foot of the card, as in the cards beside it. */
  action?: ReactNode
  failure?: string
  query: FailedQuery & { isLoadingError: boolean }
  /** Undefined while it is loading. */
  figure: string | undefined
  unit: string
  children: ReactNode
}

function FigureCard({
  id,
  title,
  className,
  badge,
  action,
  failure = 'Error',
  query,
  figure,
  unit,
  children,
}: FigureCardProps) {
  return (
    <Card aria-labelledby={`${id}-title`} className={cn('flex min-h-42 flex-col sm:min-h-48', className)}>
      <CardHeader id={`${id}-title`} title={title} action={badge} />
      {query.isLoadingError ? (
        <FailurePanel title={failure} query={query} defaultText="Failed to load billing information" />
      ) : (
        <div className="flex flex-1 flex-col px-5 pt-3 pb-5 sm:px-6">
          {figure === undefined ? (
            <div role="status">
              <span className="sr-only">Loading {title}</span>
              <Skeleton className="h-10 w-28" />
              <Skeleton className="mt-3 h-4 w-40" />
            </div>
          ) : (
            <>
              {figure && (
                <p className="font-semibold text-3xl tabular-nums">
                  <span>{figure}</span>{' '}
                  <span className="font-normal text-muted text-sm tracking-normal">{unit}</span>
                </p>
              )}
              <div className="mt-2 text-muted text-sm tabular-nums">{children}</div>
              <div className="mt-auto flex flex-wrap items-center justify-end gap-x-3 gap-y-2 pt-3 empty:hidden">
                {action}
              </div>
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
  const valid = items.filter(({ status }) => status !== 'void')
  const latest = valid.find(({ pdf_url }) => pdf_url) ?? valid.find(({ hosted_url }) => hosted_url)
  const { data: summary } = useQuery(accountSummaryQuery(useApi(), payer))
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
      {summary && (
        <div className="border-t px-5 py-3 empty:hidden sm:px-6">
          <PlanSteps summary={summary} payer={payer} />
        </div>
      )}
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
