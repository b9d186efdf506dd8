import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Circle, CircleCheck, CircleX, type LucideIcon, TriangleAlert } from 'lucide-react'
import { useState } from 'react'
import { revokeSeat, type Seat } from '../../../schema/api/organization-seats.ts'
import { useApi } from '../../api/ApiProvider.tsx'
import { failureText } from '../../api/failure.ts'
import { type OrganizationView, organizationSeatsQuery } from '../../api/organizations.ts'
import { formatDay } from '../../components/format.ts'
import { Badge } from '../../ui/Badge.tsx'
import { Button } from '../../ui/Button.tsx'
import { Card, CardHeader } from '../../ui/Card.tsx'
import { ConfirmDialog } from '../../ui/ConfirmDialog.tsx'
import { cn } from '../../ui/cn.ts'
import { toast } from '../../ui/toast.ts'

interface SeatsCardProps {
  view: OrganizationView
  seats: readonly Seat[]
  /** Shows only whose address contains it. */
  search: string
}

export function SeatsCard({ view, seats, search }: SeatsCardProps) {
  const [showEnded, setShowEnded] = useState(false)
  const found = seats.filter(({ email }) => email.includes(search.trim().toLowerCase()))
  const held = found.filter(isHeld)
  const ended = found.filter((seat) => !isHeld(seat))
  const shown = showEnded ? [...held, ...ended] : held
  return (
    <Card aria-labelledby="seats-title">
      <CardHeader id="seats-title" title="Seats" description="Who holds one, and who is invited to one" />
      {shown.length === 0 ? (
        <p className="px-5 pt-3 pb-5 text-muted text-sm sm:px-6">
          {search.trim() === '' ? 'No seat has been assigned yet.' : `No seat of “${search.trim()}”.`}
        </p>
      ) : (
        <ul className="mt-3 divide-y divide-line border-t">
          {shown.map((seat) => (
            <SeatRow key={`${seat.email} ${seat.status} ${seat.assigned_at}`} view={view} seat={seat} />
          ))}
        </ul>
      )}
      {ended.length > 0 && (
        <div className="border-t px-5 py-2 sm:px-6">
          <Button
            variant="quiet"
            size="small"
            className="-ml-3"
            aria-expanded={showEnded}
            onClick={() => setShowEnded(!showEnded)}
          >
            {showEnded ? 'Hide ended seats' : `Show ended seats (${ended.length})`}
          </Button>
        </div>
      )}
    </Card>
  )
}

function isHeld({ status }: Seat): boolean {
  return status === 'active' || status === 'pending'
}

const states: Partial<Record<string, { label: string; Icon: LucideIcon; color: string }>> = {
  active: { label: 'Active', Icon: CircleCheck, color: 'text-positive' },
  pending: { label: 'Pending', Icon: TriangleAlert, color: 'text-star' },
  revoked: { label: 'Revoked', Icon: CircleX, color: 'text-critical' },
  expired: { label: 'Expired', Icon: CircleX, color: 'text-critical' },
}

function SeatRow({ view, seat }: { view: OrganizationView; seat: Seat }) {
  const { label, Icon, color } = states[seat.status] ?? {
    label: seat.status,
    Icon: Circle,
    color: 'text-faint',
  }
  return (
    <li className="flex min-h-14 flex-wrap items-center gap-x-3 gap-y-2 px-5 py-2.5 text-sm sm:px-6">
      <Icon aria-hidden="true" className={cn('size-4 shrink-0', color)} />
      <div className="min-w-44 flex-1">
        <p className="truncate font-medium" title={seat.email}>
          {seat.email}
        </p>
        <p className="text-faint text-xs">
          {label} since {formatDay(seat.assigned_at)}
        </p>
      </div>
      <div className="ml-auto flex shrink-0 items-center gap-1.5">
        <Badge>{seat.role === 'admin' ? 'Admin' : 'Member'}</Badge>
        {seat.status === 'active' && seat.user_id && (
          <RevokeButton view={view} email={seat.email} userId={seat.user_id} />
        )}
      </div>
    </li>
  )
}

interface RevokeButtonProps {
  view: OrganizationView
  email: string
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
