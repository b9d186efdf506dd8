import { useQuery } from '@tanstack/react-query'
import { SearchX } from 'lucide-react'
import { useState } from 'react'
import type { OrganizationPerson } from '../../../schema/api/organization-people.ts'
import { useApi } from '../../api/ApiProvider.tsx'
import { type OrganizationView, organizationPeopleQuery } from '../../api/organizations.ts'
import { FailurePanel } from '../../components/FailurePanel.tsx'
import { formatDay } from '../../components/format.ts'
import { SearchField } from '../../components/SearchField.tsx'
import { Button } from '../../ui/Button.tsx'
import { Card, CardHeader } from '../../ui/Card.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { PeopleTable } from './PeopleTable.tsx'

interface PeopleCardProps {
  view: OrganizationView
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
export function PeopleCard({ view, hasFreeSeat, onNoSeats }: PeopleCardProps) {
  const [search, setSearch] = useState('')
  const [showEnded, setShowEnded] = useState(false)
  const list = useQuery({
    ...organizationPeopleQuery(useApi(), view),
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
      {list.isPending ? (
        <div role="status" className="space-y-3 px-5 pt-4 pb-5 sm:px-6">
          <span className="sr-only">Loading the people</span>
          <Skeleton className="h-10" />
          <Skeleton className="h-10" />
        </div>
      ) : list.isLoadingError ? (
        <FailurePanel title="Error" query={list} defaultText="Failed to load members" />
      ) : found.length === 0 ? (
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
          view={view}
          people={found.filter((person) => showEnded || !hasLeft(person))}
          onNoSeats={onNoSeats}
        />
      )}
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
