import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'react-router-dom'
import { useApi } from '../../api/ApiProvider.tsx'
import { type OrganizationView, organizationSeatsQuery } from '../../api/organizations.ts'
import { FailurePanel } from '../../components/FailurePanel.tsx'
import { Button } from '../../ui/Button.tsx'
import { Card } from '../../ui/Card.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { AssignSeatDialog } from './AssignSeatDialog.tsx'
import { BuySeatsDialog } from './BuySeatsDialog.tsx'
import { InviteCard } from './InviteCard.tsx'
import { NewSeats, useExpectedSeats } from './NewSeats.tsx'
import { PeopleCard } from './PeopleCard.tsx'
import { SeatUsage } from './SeatUsage.tsx'

/** The open dialog. Buying opens automatically when an assignment finds no free seat. */
type OpenDialog = { kind: 'assign' } | { kind: 'buy'; refused: boolean }

export function SeatsTab({ view }: { view: OrganizationView }) {
  const expected = useExpectedSeats()
  const seats = useQuery({ ...organizationSeatsQuery(useApi(), view), refetchInterval: expected.pollMs })
  const [dialog, setDialog] = useState<OpenDialog | null>(null)
  if (seats.isPending) return <SeatsSkeleton />
  if (seats.isLoadingError) {
    return (
      <Card>
        <FailurePanel
          title="Error"
          error={seats.error}
          defaultText="Failed to load seat information"
          busy={seats.isFetching}
          onRetry={() => void seats.refetch()}
        />
      </Card>
    )
  }
  const summary = seats.data
  if (summary.seats_total === 0 && summary.seats_used === 0) return <NoSeats />
  const full = summary.seats_used >= summary.seats_total
  const buy = () => setDialog({ kind: 'buy', refused: false })
  const onNoSeats = () => setDialog({ kind: 'buy', refused: true })
  return (
    <div className="grid grid-cols-1 items-start gap-4 sm:gap-5 lg:grid-cols-5">
      <div className="grid grid-cols-1 gap-4 sm:gap-5 lg:col-span-3">
        <NewSeats expected={expected.seats} seats_total={summary.seats_total} />
        <SeatUsage summary={summary} onBuy={buy} onAssign={() => setDialog({ kind: 'assign' })} />
      </div>
      <div className="lg:col-span-2">
        <InviteCard view={view} full={full} onBuy={buy} />
      </div>
      <div className="lg:col-span-5">
        <PeopleCard view={view} hasFreeSeat={!full} onNoSeats={onNoSeats} />
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
    <Card className="flex flex-col items-center px-6 py-14 text-center">
      <h2 className="font-semibold">No seats yet</h2>
      <p className="mt-1 max-w-sm text-muted text-sm">
        This organization has no subscription. Set up billing first.
      </p>
      <Button asChild variant="secondary" size="small" className="mt-4">
        <Link to="/organizations?tab=billing">Set up billing</Link>
      </Button>
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
