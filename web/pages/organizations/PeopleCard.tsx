import { useQuery } from '@tanstack/react-query'
import { CircleAlert, CircleCheck, CircleX, type LucideIcon, SearchX, TriangleAlert } from 'lucide-react'
import { useState } from 'react'
import type { OrganizationPerson } from '../../../schema/api/organization-people.ts'
import { useApi } from '../../api/ApiProvider.tsx'
import type { PayerView } from '../../api/account.ts'
import { organizationPeopleQuery } from '../../api/organizations.ts'
import { formatCredits, formatDay, formatTime } from '../../components/format.ts'
import { Loaded } from '../../components/Loaded.tsx'
import { SearchField } from '../../components/SearchField.tsx'
import { Badge } from '../../ui/Badge.tsx'
import { Button } from '../../ui/Button.tsx'
import { Card, CardHeader } from '../../ui/Card.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { Cell, Table } from '../../ui/Table.tsx'
import { LimitOf } from './LimitOf.tsx'
import { PersonActions } from './PersonActions.tsx'

interface PeopleCardProps {
  payer: PayerView
  /** Whether an invitation without a seat is about to get one. */
  hasFreeSeat: boolean
  onNoSeats: () => void
}

/** Fewer people than this are seen at one glance. */
const searchedFrom = 6
const pollMs = 2000
/** Then the page stops asking: the worker's comparison finds what is left. */
const mostPolls = 15

/** Everyone in the organization or invited to it, with their seat, role and usage. */
export function PeopleCard({ payer, hasFreeSeat, onNoSeats }: PeopleCardProps) {
  const [search, setSearch] = useState('')
  const [showEnded, setShowEnded] = useState(false)
  const list = useQuery({
    ...organizationPeopleQuery(useApi(), payer),
    // One that was sent in the settings a moment ago gets its seat when its event has been applied.
    refetchInterval: ({ state }) =>
      hasFreeSeat && state.data?.people.some(waitsForSeat) && state.dataUpdateCount < mostPolls && pollMs,
  })
  const found = (list.data?.people ?? []).filter((person) => isNamedLike(person, search))
  const ended = found.filter(hasLeft)
  return (
    <Card aria-labelledby="people-title" className="pb-2">
      <CardHeader
        id="people-title"
        title="People"
        description={`Only people with a seat use the credits of the organization.${list.data ? ` The month began on ${formatDay(list.data.since)}.` : ''}`}
        action={
          (list.data?.people.length ?? 0) >= searchedFrom && (
            <div className="flex w-36 shrink-0 sm:w-56">
              <SearchField
                label="Search people"
                placeholder="Name or email"
                maxLength={100}
                value={search}
                onChange={setSearch}
              />
            </div>
          )
        }
      />
      <Loaded
        query={list}
        what="the people"
        failure={{ title: 'Error', text: 'Failed to load members' }}
        skeleton="h-23"
      >
        {() =>
          found.length === 0 ? (
            <EmptyState
              icon={SearchX}
              title={`No one is called “${search}”`}
              className="py-10"
              action={
                <Button variant="secondary" size="small" onClick={() => setSearch('')}>
                  Clear the search
                </Button>
              }
            />
          ) : (
            <PeopleTable
              payer={payer}
              people={found.filter((person) => showEnded || !hasLeft(person))}
              onNoSeats={onNoSeats}
            />
          )
        }
      </Loaded>
      {ended.length > 0 && (
        <div className="border-t px-5 pt-2 sm:px-6">
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

function waitsForSeat({ is_member, seat }: OrganizationPerson): boolean {
  return !is_member && seat === null
}

function hasLeft({ is_member, seat }: OrganizationPerson): boolean {
  return !is_member && (seat === 'revoked' || seat === 'expired')
}

function isNamedLike({ name, email }: OrganizationPerson, search: string): boolean {
  return `${name ?? ''} ${email ?? ''}`.toLowerCase().includes(search.toLowerCase())
}

interface PeopleTableProps {
  payer: PayerView
  people: readonly OrganizationPerson[]
  onNoSeats: () => void
}

function PeopleTable({ payer, people, onNoSeats }: PeopleTableProps) {
  return (
    <Table
      className="mt-3 border-t"
      caption="People of the organization and their seats"
      columns={[
        { name: 'Person', namesRow: true },
        { name: 'Seat', isWide: true },
        { name: 'Role', isWide: true },
        { name: 'Used this month', align: 'right', isWide: true },
        { name: 'Limit', isWide: true },
        { name: 'Actions', head: <span className="sr-only">Actions</span>, align: 'right' },
      ]}
    >
      <tbody className="divide-y divide-line">
        {people.map((person) => (
          <tr key={person.user_id ?? person.email} className="transition-colors hover:bg-sunken">
            <Cell of="Person" className="w-full max-w-0">
              <Person payer={payer} person={person} />
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
            <Cell of="Limit" className="whitespace-nowrap">
              <LimitOf person={person} payer={payer} opensByLink />
            </Cell>
            <Cell of="Actions" className="whitespace-nowrap">
              <PersonActions payer={payer} person={person} onNoSeats={onNoSeats} />
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
function Person({ payer, person }: { payer: PayerView; person: OrganizationPerson }) {
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
        <div className="@2xl:hidden">
          <LimitOf person={person} payer={payer} />
        </div>
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
