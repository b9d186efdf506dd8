import { usePrefetchQuery, useQuery } from '@tanstack/react-query'
import { Armchair, Plus } from 'lucide-react'
import { useState } from 'react'
import { useSearchParams } from 'react-router-dom'
import type { SeatsSummary } from '../../../schema/api/organization-seats.ts'
import { maximumSeats } from '../../../schema/catalogue/plans.ts'
import { useApi } from '../../api/ApiProvider.tsx'
import type { PayerView } from '../../api/account.ts'
import { useWebConfig } from '../../api/catalogue.ts'
import { organizationSeatsQuery, organizationSubscriptionQuery } from '../../api/organizations.ts'
import { Awaited, useAwaiting } from '../../components/account/Awaited.tsx'
import { FailurePanel } from '../../components/FailurePanel.tsx'
import { RouteButton } from '../../components/RouteButton.tsx'
import { SeatBar } from '../../components/Seats.tsx'
import { Alert } from '../../ui/Alert.tsx'
import { Button } from '../../ui/Button.tsx'
import { Card, CardHeader } from '../../ui/Card.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { toast } from '../../ui/toast.ts'
import { AssignSeatDialog, BuySeatsDialog } from './dialogs.tsx'
import { InviteCard } from './InviteCard.tsx'
import { PeopleCard } from './PeopleCard.tsx'
import { seatsOf } from './seats.ts'

/** The open dialog. Buying opens automatically when an assignment finds no free seat. */
type OpenDialog = { kind: 'assign' } | { kind: 'buy'; refused: boolean }

export function SeatsTab({ payer }: { payer: PayerView }) {
  const expected = useExpectedSeats()
  const config = useWebConfig()
  const pollMs = useAwaiting()
  const api = useApi()
  // For the dialog in which seats are bought.
  usePrefetchQuery(organizationSubscriptionQuery(api, payer))
  const query = useQuery({
    ...organizationSeatsQuery(api, payer),
    refetchInterval: ({ state }) => pollMs((state.data?.data.seats_total ?? 0) >= (expected ?? 0)),
  })
  const [dialog, setDialog] = useState<OpenDialog | null>(null)
  if (query.isPending) return <SeatsSkeleton />
  if (query.isLoadingError) {
    return (
      <Card>
        <FailurePanel title="Error" query={query} defaultText="Failed to load seat information" />
      </Card>
    )
  }
  const summary = query.data
  const seats = seatsOf(summary, config)
  if (!seats.hasPlan) return <NoSeats />
  const buy = () => setDialog({ kind: 'buy', refused: false })
  const onClose = () => setDialog(null)
  const onNoSeats = () => setDialog({ kind: 'buy', refused: true })
  return (
    <div className="grid grid-cols-1 items-start gap-4 sm:gap-5 lg:grid-cols-5">
      <div className="grid grid-cols-1 gap-4 sm:gap-5 lg:col-span-3">
        {expected !== null && (
          <Awaited
            name="seats"
            isThere={summary.seats_total >= expected}
            onThere={() =>
              toast.success(`The organization has ${summary.seats_total} seats now`, { id: 'seats' })
            }
            title="Your seats are on their way"
            text={`The change to ${expected} seats is being confirmed.`}
          />
        )}
        <SeatUsage summary={summary} onBuy={buy} onAssign={() => setDialog({ kind: 'assign' })} />
      </div>
      <div className="lg:col-span-2">
        <InviteCard payer={payer} full={seats.isFull} onBuy={buy} />
      </div>
      <div className="lg:col-span-5">
        <PeopleCard payer={payer} hasFreeSeat={!seats.isFull} onNoSeats={onNoSeats} />
      </div>
      {dialog?.kind === 'assign' && <AssignSeatDialog {...{ payer, onClose, onNoSeats }} />}
      {dialog?.kind === 'buy' && (
        <BuySeatsDialog {...{ payer, onClose }} refused={dialog.refused} seats_total={summary.seats_total} />
      )}
    </div>
  )
}

function NoSeats() {
  return (
    <Card>
      <EmptyState
        icon={Armchair}
        title="No seats yet"
        titleAs="h2"
        className="py-14"
        action={
          <RouteButton to="/organizations?tab=billing" variant="secondary" size="small">
            Set up billing
          </RouteButton>
        }
      >
        This organization has no subscription. Set up billing first.
      </EmptyState>
    </Card>
  )
}

function SeatsSkeleton() {
  return (
    <div role="status" className="grid grid-cols-1 items-start gap-4 sm:gap-5 lg:grid-cols-5">
      <span className="sr-only">Loading seats</span>
      <div className="space-y-4 sm:space-y-5 lg:col-span-3">
        <Skeleton className="h-44 rounded-card" />
      </div>
      <Skeleton className="h-60 rounded-card lg:col-span-2" />
      <Skeleton className="h-52 rounded-card lg:col-span-5" />
    </div>
  )
}

/** The seats that were confirmed on Stripe's page. */
function useExpectedSeats(): number | null {
  const seats = Number(useSearchParams()[0].get('seats'))
  return Number.isInteger(seats) && seats >= 1 && seats <= maximumSeats ? seats : null
}

interface SeatUsageProps {
  summary: SeatsSummary
  onBuy: () => void
  onAssign: () => void
}

function SeatUsage({ summary, onBuy, onAssign }: SeatUsageProps) {
  const { seats_used, seats_total } = summary
  const { free, isBuyable, notice } = seatsOf(summary, useWebConfig())
  return (
    <Card aria-labelledby="usage-title">
      <CardHeader id="usage-title" title="Seat usage" />
      <div className="space-y-4 px-5 pt-3 pb-5 sm:px-6">
        <div>
          <p className="flex items-baseline justify-between gap-4 text-muted text-sm tabular-nums">
            <span>
              <strong className="mr-1 font-semibold text-3xl text-ink">{seats_used}</strong> of {seats_total}{' '}
              used
            </span>
            <span>{free} free</span>
          </p>
          <div className="mt-3">
            <SeatBar used={seats_used} total={seats_total} />
          </div>
        </div>
        {notice && (
          <Alert tone={notice.tone} {...(notice.title && { title: notice.title })}>
            {notice.text}
          </Alert>
        )}
        <div className="flex flex-wrap gap-2">
          <Button size="small" onClick={onAssign}>
            Assign Seat
          </Button>
          {isBuyable && (
            <Button variant="secondary" size="small" onClick={onBuy}>
              <Plus aria-hidden="true" />
              Buy Additional Seats
            </Button>
          )}
        </div>
      </div>
    </Card>
  )
}
