import { cn } from '../ui/cn.ts'

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
