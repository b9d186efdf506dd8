import { useQuery } from '@tanstack/react-query'
import { useApi } from '../api/ApiProvider.tsx'
import { type OrganizationView, organizationPeopleQuery } from '../api/organizations.ts'
import { formatCredits, formatDay } from './format.ts'

/** Whether a member has a seat, and what they have used this month. Nothing until it is known. */
export function OwnSeat({ view }: { view: OrganizationView }) {
  const { data } = useQuery(organizationPeopleQuery(useApi(), view))
  const own = data?.people.find(({ user_id }) => user_id === view.userId)
  if (!own) return null
  const used = `${formatCredits(own.used_credits)} ${own.used_credits === 1 ? 'credit' : 'credits'}`
  return (
    <>
      {own.seat === 'active' ? 'You have a seat' : 'You have no seat yet'}. You have used {used} since{' '}
      {formatDay(data?.since ?? '')}.
      {own.seat === 'active' &&
        ' An editor that is connected already keeps its payer until you change it on the dashboard.'}
    </>
  )
}
