import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router-dom'
import type { NextPayment } from '../../../schema/api/account.ts'
import { useApi } from '../../api/ApiProvider.tsx'
import { nextPaymentQuery } from '../../api/account.ts'
import { cardName } from '../../components/account/card.ts'
import { PortalButton } from '../../components/account/PortalButton.tsx'
import { FailurePanel } from '../../components/FailurePanel.tsx'
import { formatDay, formatMoney } from '../../components/format.ts'
import { Badge } from '../../ui/Badge.tsx'
import { Card, CardHeader } from '../../ui/Card.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import type { Payer } from './payer.ts'

export function NextPaymentCard({ payer, className }: { payer: Payer; className: string }) {
  return (
    <Card aria-labelledby="payment-title" className={`flex min-h-48 flex-col ${className}`}>
      {payer.mayManage ? (
        <Payment payer={payer} />
      ) : (
        <>
          <CardHeader id="payment-title" title="Next Payment" />
          <p className="px-5 pt-3 pb-5 text-muted text-sm sm:px-6">
            Only organization administrators can view billing settings.
          </p>
        </>
      )}
    </Card>
  )
}

function Payment({ payer }: { payer: Payer }) {
  // The server has asked Stripe three times already.
  const next = useQuery({ ...nextPaymentQuery(useApi(), payer), retry: false })
  const payment = next.data?.payment
  return (
    <>
      <CardHeader
        id="payment-title"
        title="Next Payment"
        action={payment?.overdue && <Badge tone="caution">Past Due</Badge>}
      />
      {next.isPending ? (
        <div role="status" className="px-5 pt-3 sm:px-6">
          <span className="sr-only">Loading the next payment</span>
          <Skeleton className="h-10 w-28" />
          <Skeleton className="mt-3 h-4 w-40" />
        </div>
      ) : next.isLoadingError ? (
        <FailurePanel
          title="Not available right now"
          error={next.error}
          defaultText="Failed to load billing information"
          busy={next.isFetching}
          onRetry={() => void next.refetch()}
        />
      ) : (
        <Details payer={payer} next={next.data} />
      )}
    </>
  )
}

function Details({ payer, next: { payment, card } }: { payer: Payer; next: NextPayment }) {
  return (
    <div className="flex flex-1 flex-col px-5 pt-3 pb-5 tabular-nums sm:px-6">
      <p className="font-semibold text-3xl">
        {payment ? formatMoney(payment.amount_minor, payment.currency) : 'None'}
      </p>
      <p className="mt-2 text-muted text-sm">{payment ? whenText(payment) : 'No payment is scheduled.'}</p>
      <div className="mt-auto flex flex-wrap items-center justify-between gap-x-3 gap-y-2 pt-3">
        <p className="text-faint text-xs">{card && cardName(card)}</p>
        <div className="flex items-center gap-3">
          {!payment && (
            <Link to="/pricing" className="font-medium text-accent-text text-sm hover:underline">
              View plans
            </Link>
          )}
          <PortalButton payer={payer} />
        </div>
      </div>
    </div>
  )
}

function whenText({ at, overdue }: NonNullable<NextPayment['payment']>): string {
  if (overdue)
    return at ? `The last attempt failed. We will try again on ${formatDay(at)}.` : 'The last attempt failed.'
  return at ? `on ${formatDay(at)}` : ''
}
