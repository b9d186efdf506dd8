import { useQuery } from '@tanstack/react-query'
import { useApi } from '../api/ApiProvider.tsx'
import type { PayerView } from '../api/account.ts'
import { organizationPeopleQuery } from '../api/organizations.ts'
import { cn } from '../ui/cn.ts'
import { formatCredits, formatDay } from './format.ts'

interface SeatBarProps {
  used: number
  total: number
}

/** The share of taken seats. Hidden from screen readers, since the number is beside it. */
export function SeatBar({ used, total }: SeatBarProps) {
  const percent = seatPercent({ used, total })
  return (
    <div aria-hidden="true" className="h-2 overflow-hidden rounded-full bg-hover">
      <div
        className={cn('h-full rounded-full transition-[width] duration-500', barTone(percent))}
        style={{ width: `${percent}%` }}
      />
    </div>
  )
}

/** At most 100, also when there are more people than seats. */
function seatPercent({ used, total }: SeatBarProps): number {
  return total === 0 ? 100 : Math.min((used / total) * 100, 100)
}

function barTone(percent: number): string {
  if (percent > 80) return 'bg-critical'
  return percent > 60 ? 'bg-star' : 'bg-accent'
}

/** Whether a member has a seat, and what they have used this month. Nothing until it is known. */
export function OwnSeat({ payer }: { payer: PayerView }) {
  const { data } = useQuery(organizationPeopleQuery(useApi(), payer))
  const own = data?.people.find(({ user_id }) => user_id === payer.userId)
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
