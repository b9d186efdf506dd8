import { CircleAlert, CircleCheck, CircleX, type LucideIcon, TriangleAlert } from 'lucide-react'
import type { OrganizationPerson } from '../../../schema/api/organization-people.ts'
import type { OrganizationView } from '../../api/organizations.ts'
import { formatCredits, formatDay, formatTime } from '../../components/format.ts'
import { Badge } from '../../ui/Badge.tsx'
import { Cell, Table } from '../../ui/Table.tsx'
import { PersonActions } from './PersonActions.tsx'

interface PeopleTableProps {
  view: OrganizationView
  people: readonly OrganizationPerson[]
  onNoSeats: () => void
}

export function PeopleTable({ view, people, onNoSeats }: PeopleTableProps) {
  return (
    <Table
      className="mt-3 border-t"
      caption="People of the organization and their seats"
      columns={[
        { name: 'Person', namesRow: true },
        { name: 'Seat', isWide: true },
        { name: 'Role', isWide: true },
        { name: 'Used this month', align: 'right', isWide: true },
        { name: 'Actions', head: <span className="sr-only">Actions</span>, align: 'right' },
      ]}
    >
      <tbody className="divide-y divide-line">
        {people.map((person) => (
          <tr key={person.user_id ?? person.email} className="transition-colors hover:bg-sunken">
            <Cell of="Person" className="w-full max-w-0">
              <Person {...person} />
            </Cell>
            <Cell of="Seat" className="whitespace-nowrap">
              <SeatState {...person} />
            </Cell>
            <Cell of="Role">
              <Badge>{roleName(person)}</Badge>
            </Cell>
            <Cell of="Used this month" className="whitespace-nowrap">
              {formatCredits(person.used_credits)}
            </Cell>
            <Cell of="Actions" className="whitespace-nowrap">
              <PersonActions view={view} person={person} onNoSeats={onNoSeats} />
            </Cell>
          </tr>
        ))}
      </tbody>
    </Table>
  )
}

function roleName({ role }: OrganizationPerson): string {
  return role === 'admin' ? 'Admin' : 'Member'
}

/** Where there is little room, seat, role and usage stand here. */
function Person(person: OrganizationPerson) {
  const { name, email, used_credits, invitation } = person
  const address = email ?? 'No email available'
  const details = [
    ...(name ? [address] : []),
    ...(invitation ? [invitationNote(invitation)] : person.is_member || person.seat ? [] : ['Invited']),
  ]
  return (
    <div className="flex items-center gap-3">
      <span
        aria-hidden="true"
        className="hidden size-8 shrink-0 place-items-center rounded-full bg-accent-soft font-semibold text-accent-text text-xs uppercase @lg:grid"
      >
        {(name ?? address).slice(0, 1)}
      </span>
      <div className="min-w-0">
        <p className="truncate font-medium" title={name ?? address}>
          {name ?? address}
        </p>
        {details.length > 0 && (
          <p className="text-faint text-xs [overflow-wrap:anywhere]">{details.join(' · ')}</p>
        )}
        <p className="text-faint text-xs @2xl:hidden">
          {stateOf(person).label} · {roleName(person)} · {formatCredits(used_credits)} used
        </p>
      </div>
    </div>
  )
}

function invitationNote({ sends_at, expires_at }: NonNullable<OrganizationPerson['invitation']>): string {
  return sends_at ? `Will be sent at ${formatTime(sends_at)}` : `Expires on ${formatDay(expires_at)}`
}

interface State {
  readonly label: string
  readonly Icon: LucideIcon
  readonly color: string
}

const states: Readonly<Record<NonNullable<OrganizationPerson['seat']>, State>> = {
  active: { label: 'Active', Icon: CircleCheck, color: 'text-positive' },
  pending: { label: 'Pending', Icon: TriangleAlert, color: 'text-star' },
  revoked: { label: 'Revoked', Icon: CircleX, color: 'text-critical' },
  expired: { label: 'Expired', Icon: CircleX, color: 'text-critical' },
}
const noSeat: State = { label: 'No seat yet', Icon: CircleAlert, color: 'text-faint' }

function stateOf({ seat }: Pick<OrganizationPerson, 'seat'>): State {
  return seat ? states[seat] : noSeat
}

export function SeatState({ seat }: Pick<OrganizationPerson, 'seat'>) {
  const { label, Icon, color } = stateOf({ seat })
  return (
    <span className="flex items-center gap-1.5">
      <Icon aria-hidden="true" className={`size-4 shrink-0 ${color}`} />
      {label}
    </span>
  )
}
