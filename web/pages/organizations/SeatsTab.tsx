import { useQuery } from '@tanstack/react-query'
import { Armchair } from 'lucide-react'
import { useState } from 'react'
import { Link } from 'react-router-dom'
import { useApi } from '../../api/ApiProvider.tsx'
import { type OrganizationView, organizationSeatsQuery } from '../../api/organizations.ts'
import { FailurePanel } from '../../components/FailurePanel.tsx'
import { Button } from '../../ui/Button.tsx'
import { Card } from '../../ui/Card.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { AssignSeatDialog } from './AssignSeatDialog.tsx'
import { BuySeatsDialog } from './BuySeatsDialog.tsx'
import { InviteCard } from './InviteCard.tsx'
import { NewSeats, useExpectedSeats } from './NewSeats.tsx'
import { PeopleCard } from './PeopleCard.tsx'
import { SeatUsage } from './SeatUsage.tsx'
import { seatsOf } from './seats.ts'

/** The open dialog. Buying opens automatically when an assignment finds no free seat. */
type OpenDialog = { kind: 'assign' } | { kind: 'buy'; refused: boolean }

export function SeatsTab({ view }: { view: OrganizationView }) {
  const expected = useExpectedSeats()
  const query = useQuery({ ...organizationSeatsQuery(useApi(), view), refetchInterval: expected.pollMs })
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
  const seats = seatsOf(summary)
  if (!seats.hasPlan) return <NoSeats />
  const buy = () => setDialog({ kind: 'buy', refused: false })
  const onNoSeats = () => setDialog({ kind: 'buy', refused: true })
  return (
    <div className="grid grid-cols-1 items-start gap-4 sm:gap-5 lg:grid-cols-5">
      <div className="grid grid-cols-1 gap-4 sm:gap-5 lg:col-span-3">
        <NewSeats expected={expected.seats} seats_total={summary.seats_total} />
        <SeatUsage summary={summary} onBuy={buy} onAssign={() => setDialog({ kind: 'assign' })} />
      </div>
      <div className="lg:col-span-2">
        <InviteCard view={view} full={seats.isFull} onBuy={buy} />
      </div>
      <div className="lg:col-span-5">
        <PeopleCard view={view} hasFreeSeat={!seats.isFull} onNoSeats={onNoSeats} />
      </div>
      <AssignSeatDialog
        view={view}
        open={dialog?.kind === 'assign'}
        onClose={() => setDialog(null)}
        onNoSeats={onNoSeats}
      />
      <BuySeatsDialog
        view={view}
        open={dialog?.kind === 'buy'}
        refused={dialog?.kind === 'buy' && dialog.refused}
        seats_total={summary.seats_total}
        onClose={() => setDialog(null)}
      />
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
          <Button asChild variant="secondary" size="small">
            <Link to="/organizations?tab=billing">Set up billing</Link>
          </Button>
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
