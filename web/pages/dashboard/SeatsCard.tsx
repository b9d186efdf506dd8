import { useQuery } from '@tanstack/react-query'
import { useApi } from '../../api/ApiProvider.tsx'
import type { PayerView } from '../../api/account.ts'
import { organizationSeatsQuery } from '../../api/organizations.ts'
import { Loaded } from '../../components/Loaded.tsx'
import { RouteButton } from '../../components/RouteButton.tsx'
import { OwnSeat, SeatBar } from '../../components/Seats.tsx'
import { Card, CardHeader } from '../../ui/Card.tsx'

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
      <Loaded
        query={seats}
        what="the seats"
        failure={{ title: 'Error', text: 'Failed to load seat information' }}
        skeleton="h-12"
      >
        {({ seats_used, seats_total }) => (
          <div className="px-5 pt-3 pb-5 sm:px-6">
            <p className="mb-3 tabular-nums">
              <strong className="font-semibold text-2xl">{seats_used}</strong>{' '}
              <span className="text-muted text-sm">of {seats_total} used</span>
            </p>
            <SeatBar used={seats_used} total={seats_total} />
            {!mayManage && (
              <p className="mt-3 min-h-10 text-muted text-sm">
                <OwnSeat payer={payer} />
              </p>
            )}
          </div>
        )}
      </Loaded>
    </Card>
  )
}
