import { useQuery } from '@tanstack/react-query'
import { useApi } from '../../api/ApiProvider.tsx'
import type { PayerView } from '../../api/account.ts'
import { organizationSeatsQuery } from '../../api/organizations.ts'
import { FailurePanel } from '../../components/FailurePanel.tsx'
import { RouteButton } from '../../components/RouteButton.tsx'
import { OwnSeat, SeatBar } from '../../components/Seats.tsx'
import { Card, CardHeader } from '../../ui/Card.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'

interface SeatsCardProps {
  payer: PayerView
  mayManage: boolean
}

/** How many seats an organization has, and how many are taken; for members also what they used. */
export function SeatsCard({ payer, mayManage }: SeatsCardProps) {
  const seats = useQuery(organizationSeatsQuery(useApi(), payer))
  return (
    <Card aria-labelledby="seats-title" className="order-3 min-h-36">
      <CardHeader
        id="seats-title"
        title="Seats"
        action={
          mayManage && (
            <RouteButton to="/organizations?tab=seats" variant="secondary" size="small">
              Manage seats
            </RouteButton>
          )
        }
      />
      {seats.isPending ? (
        <div role="status" className="space-y-4 px-5 pt-4 pb-5 sm:px-6">
          <span className="sr-only">Loading the seats</span>
          <Skeleton className="h-6 w-28" />
          <Skeleton className="h-2 w-full" />
        </div>
      ) : seats.isLoadingError ? (
        <FailurePanel title="Error" query={seats} defaultText="Failed to load seat information" />
      ) : (
        <div className="px-5 pt-3 pb-5 sm:px-6">
          <p className="mb-3 tabular-nums">
            <strong className="font-semibold text-2xl">{seats.data.seats_used}</strong>{' '}
            <span className="text-muted text-sm">of {seats.data.seats_total} used</span>
          </p>
          <SeatBar used={seats.data.seats_used} total={seats.data.seats_total} />
          {!mayManage && (
            <p className="mt-3 min-h-10 text-muted text-sm">
              <OwnSeat payer={payer} />
            </p>
          )}
        </div>
      )}
    </Card>
  )
}
