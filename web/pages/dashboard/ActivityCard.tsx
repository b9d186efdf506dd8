import { useInfiniteQuery } from '@tanstack/react-query'
import { Waves } from 'lucide-react'
import type { AccountPayment } from '../../../schema/api/account.ts'
import { useApi } from '../../api/ApiProvider.tsx'
import { transactionsQuery } from '../../api/billing.ts'
import type { Payer } from '../../components/account/usePayer.ts'
import { PendingCredits } from '../../components/credits/PendingCredits.tsx'
import { TransactionTable } from '../../components/credits/TransactionTable.tsx'
import { FailurePanel } from '../../components/FailurePanel.tsx'
import { ShowMore } from '../../components/ShowMore.tsx'
import { Card, CardHeader } from '../../ui/Card.tsx'
import { cn } from '../../ui/cn.ts'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { Payments } from './Payments.tsx'

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
  if (history.isPending) return <ActivitySkeleton />
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
        <ShowMore
          query={history}
          label="Show more"
          failure="Could not load more activity. Please try again."
        />
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

const skeletonRows = ['one', 'two', 'three', 'four']

function ActivitySkeleton() {
  return (
    <div role="status" className="space-y-5 px-6 py-6">
      <span className="sr-only">Loading your activity</span>
      {skeletonRows.map((row) => (
        <div key={row} className="flex items-center justify-between">
          <div className="space-y-2">
            <Skeleton className="h-4 w-40" />
            <Skeleton className="h-3 w-24" />
          </div>
          <Skeleton className="h-4 w-16" />
        </div>
      ))}
    </div>
  )
}
