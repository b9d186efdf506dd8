import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { CircleCheck, CircleX, Clock, type LucideIcon } from 'lucide-react'
import { Link } from 'react-router-dom'
import { revokeSeat, type Seat, type SeatsSummary } from '../../../schema/api/organization-seats.ts'
import { useApi } from '../../api/ApiProvider.tsx'
import { failureText } from '../../api/failure.ts'
import { type OrganizationView, organizationSeatsQuery } from '../../api/organizations.ts'
import { FailurePanel } from '../../components/FailurePanel.tsx'
import { Alert } from '../../ui/Alert.tsx'
import { Badge } from '../../ui/Badge.tsx'
import { Button } from '../../ui/Button.tsx'
import { Card, CardHeader } from '../../ui/Card.tsx'
import { ConfirmDialog } from '../../ui/ConfirmDialog.tsx'
import { cn } from '../../ui/cn.ts'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { toast } from '../../ui/toast.ts'
import { InvitationsCard } from './InvitationsCard.tsx'
import { InviteCard } from './InviteCard.tsx'

export function SeatsTab({ view }: { view: OrganizationView }) {
  const seats = useQuery(organizationSeatsQuery(useApi(), view))
  if (seats.isPending) return <Skeleton className="h-60 rounded-card" />
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
  return (
    <div className="grid grid-cols-1 items-start gap-4 sm:gap-5 lg:grid-cols-5">
      <div className="grid grid-cols-1 gap-4 sm:gap-5 lg:col-span-3">
        <SeatUsage summary={summary} />
        <Seats view={view} seats={summary.seats} />
      </div>
      <div className="grid grid-cols-1 gap-4 sm:gap-5 lg:col-span-2">
        <InviteCard view={view} full={summary.seats_used >= summary.seats_total} />
        <InvitationsCard view={view} />
      </div>
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

function SeatUsage({ summary }: { summary: SeatsSummary }) {
  const { seats_used, seats_total, over_limit, notice } = summary
  const percent = seats_total === 0 ? 100 : Math.min((seats_used / seats_total) * 100, 100)
  return (
    <Card aria-labelledby="usage-title">
      <CardHeader id="usage-title" title="Seat usage" />
      <div className="space-y-4 px-5 pt-3 pb-5 sm:px-6">
        <div>
          <p className="text-muted text-sm tabular-nums">
            <strong className="font-semibold text-3xl text-ink tracking-[-0.03em]">{seats_used}</strong> of{' '}
            {seats_total} used
          </p>
          <div aria-hidden="true" className="mt-3 h-2 overflow-hidden rounded-full bg-hover">
            <div className={cn('h-full rounded-full', barTone(percent))} style={{ width: `${percent}%` }} />
          </div>
        </div>
        {over_limit && notice ? (
          <Alert tone="caution">{notice}</Alert>
        ) : seats_used >= seats_total ? (
          <Alert tone="critical" title="All Seats Used">
            No available seats. Upgrade your subscription to add more members.
          </Alert>
        ) : (
          percent > 80 && <Alert tone="caution" title="Approaching Seat Limit" />
        )}
      </div>
    </Card>
  )
}

function barTone(percent: number): string {
  if (percent > 80) return 'bg-critical'
  return percent > 60 ? 'bg-star' : 'bg-accent'
}

function Seats({ view, seats }: { view: OrganizationView; seats: readonly Seat[] }) {
  return (
    <Card aria-labelledby="seats-title">
      <CardHeader id="seats-title" title="Seats" description="Who holds one, who is invited, who had one" />
      {seats.length === 0 ? (
        <p className="px-5 py-8 text-center text-muted text-sm sm:px-6">No seat has been assigned yet.</p>
      ) : (
        <ul className="mt-3 divide-y divide-line border-t">
          {seats.map((seat) => (
            <SeatRow key={`${seat.email} ${seat.status} ${seat.assigned_at}`} view={view} seat={seat} />
          ))}
        </ul>
      )}
    </Card>
  )
}

const states: Record<Seat['status'], { label: string; Icon: LucideIcon; color: string }> = {
  active: { label: 'Active', Icon: CircleCheck, color: 'text-positive' },
  pending: { label: 'Pending', Icon: Clock, color: 'text-caution' },
  revoked: { label: 'Revoked', Icon: CircleX, color: 'text-critical' },
  expired: { label: 'Expired', Icon: CircleX, color: 'text-critical' },
}

function SeatRow({ view, seat }: { view: OrganizationView; seat: Seat }) {
  const { label, Icon, color } = states[seat.status]
  return (
    <li className="flex min-h-14 items-center gap-3 px-5 py-2.5 text-sm sm:px-6">
      <Icon aria-hidden="true" className={cn('size-4 shrink-0', color)} />
      <div className="min-w-0 flex-1">
        <p className="truncate font-medium" title={seat.email}>
          {seat.email}
        </p>
        <p className="text-faint text-xs">{label}</p>
      </div>
      <Badge>{seat.role === 'admin' ? 'Admin' : 'Member'}</Badge>
      {seat.status === 'active' && seat.user_id && (
        <RevokeButton view={view} email={seat.email} userId={seat.user_id} />
      )}
    </li>
  )
}

interface RevokeButtonProps {
  view: OrganizationView
  email: string
  /** Whose seat it is. */
  userId: string
}

function RevokeButton({ view, email, userId }: RevokeButtonProps) {
  const api = useApi()
  const queryClient = useQueryClient()
  const revoke = useMutation({
    mutationFn: () => api(revokeSeat, { body: { org_id: view.organizationId, user_id: userId } }),
    onSuccess: ({ message }) => {
      toast.success('Seat revoked', { description: message })
      return queryClient.invalidateQueries({ queryKey: organizationSeatsQuery(api, view).queryKey })
    },
    onError: (error) => toast.error('Error', { description: failureText(error, 'Failed to revoke seat') }),
  })
  return (
    <ConfirmDialog
      trigger={
        <Button
          variant="quiet"
          size="small"
          aria-label={`Revoke the seat of ${email}`}
          busy={revoke.isPending}
          disabled={revoke.isPending}
        >
          Revoke
        </Button>
      }
      title="Revoke this seat?"
      text={`${email} stays a member of the organization but can no longer use its credits. The seat becomes free.`}
      confirm="Revoke seat"
      dismiss="Keep seat"
      onConfirm={() => revoke.mutate()}
    />
  )
}
