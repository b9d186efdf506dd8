import { useInfiniteQuery } from '@tanstack/react-query'
import { Waves } from 'lucide-react'
import type { AccountPayment } from '../../../schema/api/account.ts'
import { planOf } from '../../../schema/catalogue/sold-plans.ts'
import { useApi } from '../../api/ApiProvider.tsx'
import { transactionsQuery } from '../../api/billing.ts'
import type { Payer } from '../../components/account/usePayer.ts'
import { PendingCredits, TransactionTable } from '../../components/credits/TransactionTable.tsx'
import { FailurePanel } from '../../components/FailurePanel.tsx'
import { formatCredits, formatDay, formatMoney, formatTime } from '../../components/format.ts'
import { ListSkeleton } from '../../components/ListSkeleton.tsx'
import { ShowMore } from '../../components/ShowMore.tsx'
import { Badge } from '../../ui/Badge.tsx'
import { Card, CardHeader } from '../../ui/Card.tsx'
import { cn } from '../../ui/cn.ts'
import { EmptyState } from '../../ui/EmptyState.tsx'

export function ActivityCard({ payer, payments }: { payer: Payer; payments: readonly AccountPayment[] }) {
  return (
    <Card id="activity" aria-labelledby="activity-title" className="order-6 flex scroll-mt-20 flex-col">
      <CardHeader
        id="activity-title"
        title="Recent activity"
        description="Every credit added or used, newest first"
      />
      <Payments payments={payments} />
      <Activity payer={payer} hasPayments={payments.length > 0} />
    </Card>
  )
}

function Activity({ payer: { payer, userId }, hasPayments }: { payer: Payer; hasPayments: boolean }) {
  const history = useInfiniteQuery(transactionsQuery(useApi(), { payer, userId }))
  if (history.isPending) return <ListSkeleton label="Loading your activity" />
  if (history.isLoadingError) {
    return <FailurePanel title="Your activity could not be loaded" query={history} />
  }
  const items = history.data.pages.flatMap((page) => page.items)
  const [first] = history.data.pages
  if (!first || items.length + first.pending.length === 0) return hasPayments ? null : <NoActivity />
  return (
    <>
      <div className={cn(!hasPayments && 'mt-4')}>
        <PendingCredits {...first} />
        <TransactionTable documents={[]} changes={items} />
      </div>
      <div className="mt-auto">
        <ShowMore query={history} of="activity" />
      </div>
    </>
  )
}

function NoActivity() {
  return (
    <EmptyState icon={Waves} title="No activity yet" className="flex-1 justify-center py-14">
      Purchases and usage will appear here, with the balance after each one.
    </EmptyState>
  )
}

const states = {
  awaiting_payment: { label: 'Pending', tone: 'accent' },
  paid: { label: 'On its way', tone: 'accent' },
  failed: { label: 'Failed', tone: 'caution' },
  under_review: { label: 'In review', tone: 'caution' },
} as const

/** Recent payments without credits: those in progress and failed ones. */
function Payments({ payments }: { payments: readonly AccountPayment[] }) {
  if (payments.length === 0) return null
  return (
    <ul aria-label="Payments" className="mt-4 divide-y divide-line border-t bg-sunken last:rounded-b-card">
      {payments.map(({ id, state, reason, created_at, ...payment }) => (
        <li key={id} className="px-5 py-3 text-sm sm:px-6">
          <div className="flex items-start justify-between gap-3">
            <p className="font-medium">{nameOf(payment)}</p>
            <Badge tone={states[state].tone}>{states[state].label}</Badge>
          </div>
          <p className="mt-0.5 text-muted text-xs leading-5">{reason}</p>
          <p className="mt-0.5 text-faint text-xs">
            <time dateTime={created_at}>
              {formatDay(created_at)}, {formatTime(created_at)}
            </time>
          </p>
        </li>
      ))}
    </ul>
  )
}

function nameOf({
  plan_type,
  credits,
  amount_minor,
  currency,
}: Pick<AccountPayment, 'plan_type' | 'credits' | 'amount_minor' | 'currency'>): string {
  const what = plan_type ? `${planOf(plan_type).name} plan` : `${formatCredits(credits)} credits`
  return `${what} · ${formatMoney(amount_minor, currency)}`
}
