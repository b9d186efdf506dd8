import { useOrganization } from '@clerk/clerk-react'
import { useDeferredValue } from 'react'
import type { Seat } from '../../../schema/api/organization-seats.ts'
import { Badge } from '../../ui/Badge.tsx'
import { Button } from '../../ui/Button.tsx'
import { Card, CardHeader } from '../../ui/Card.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import type { SeatCandidate } from './AssignSeatDialog.tsx'

interface MembersCardProps {
  seats: readonly Seat[]
  /** Asked of Clerk, which knows the members that are not loaded. */
  search: string
  onAssign: (member: SeatCandidate) => void
}

const pageSize = 20

/** The members of the organization, with or without a seat. */
export function MembersCard({ seats, search, onAssign }: MembersCardProps) {
  const query = useDeferredValue(search.trim())
  const { memberships } = useOrganization({
    memberships: { infinite: true, pageSize, ...(query && { query }) },
  })
  const seated = new Set(seats.filter(({ status }) => status === 'active').map(({ user_id }) => user_id))
  return (
    <Card aria-labelledby="members-title">
      <CardHeader
        id="members-title"
        title="Members"
        description="All members of the organization; only those with a seat use its credits"
      />
      {!memberships || memberships.isLoading ? (
        <Skeleton className="mx-5 mt-3 mb-5 h-12 sm:mx-6" />
      ) : memberships.isError ? (
        <div className="flex flex-wrap items-center justify-between gap-3 px-5 pt-3 pb-5 text-sm sm:px-6">
          <p role="alert">The members could not be loaded.</p>
          <Button variant="secondary" size="small" onClick={() => void memberships.revalidate?.()}>
            Try again
          </Button>
        </div>
      ) : memberships.count === 0 ? (
        <p className="px-5 pt-3 pb-5 text-muted text-sm sm:px-6">No member is called “{query}”.</p>
      ) : (
        <ul className="mt-3 divide-y divide-line border-t">
          {memberships.data?.map(({ id, role, publicUserData }) => (
            <MemberRow
              key={id}
              name={[publicUserData?.firstName, publicUserData?.lastName].filter(Boolean).join(' ')}
              email={publicUserData?.identifier || null}
              role={role === 'org:admin' ? 'admin' : 'member'}
              hasSeat={seated.has(publicUserData?.userId ?? null)}
              onAssign={onAssign}
            />
          ))}
        </ul>
      )}
      {memberships?.hasNextPage && (
        <div className="border-t px-5 py-2 sm:px-6">
          <Button
            variant="quiet"
            size="small"
            className="-ml-3"
            busy={memberships.isFetching}
            onClick={() => memberships.fetchNext()}
          >
            Show more
          </Button>
        </div>
      )}
    </Card>
  )
}

interface MemberRowProps {
  /** Empty for members without a name. */
  name: string
  email: string | null
  role: 'admin' | 'member'
  hasSeat: boolean
  onAssign: (member: SeatCandidate) => void
}

function MemberRow({ name, email, role, hasSeat, onAssign }: MemberRowProps) {
  const address = email ?? 'No email available'
  return (
    <li className="flex min-h-14 flex-wrap items-center gap-x-3 gap-y-2 px-5 py-2.5 text-sm sm:px-6">
      <span
        aria-hidden="true"
        className="grid size-8 shrink-0 place-items-center rounded-full bg-accent-soft font-semibold text-accent-text text-xs uppercase"
      >
        {(name || address).slice(0, 1)}
      </span>
      <div className="min-w-44 flex-1">
        <p className="truncate font-medium" title={name || address}>
          {name || address}
        </p>
        <p className="truncate text-faint text-xs">
          {name ? address : hasSeat ? 'Has a seat' : 'No seat'}
          {name && (hasSeat ? ' · has a seat' : ' · no seat')}
        </p>
      </div>
      <div className="ml-auto flex shrink-0 items-center gap-1.5">
        <Badge>{role === 'admin' ? 'Admin' : 'Member'}</Badge>
        <Badge tone="positive">Active</Badge>
        {!hasSeat && email && (
          <Button
            variant="secondary"
            size="small"
            aria-label={`Assign seat to ${email}`}
            onClick={() => onAssign({ email, role })}
          >
            Assign
          </Button>
        )}
      </div>
    </li>
  )
}
