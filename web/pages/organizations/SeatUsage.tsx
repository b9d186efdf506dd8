import { Plus } from 'lucide-react'
import type { SeatsSummary } from '../../../schema/api/organization-seats.ts'
import { maximumSeats } from '../../../schema/catalogue/plans.ts'
import { SeatBar } from '../../components/SeatBar.tsx'
import { Alert } from '../../ui/Alert.tsx'
import { Button } from '../../ui/Button.tsx'
import { Card, CardHeader } from '../../ui/Card.tsx'

interface SeatUsageProps {
  summary: SeatsSummary
  onBuy: () => void
  onAssign: () => void
}

export function SeatUsage({ summary, onBuy, onAssign }: SeatUsageProps) {
  const { seats_used, seats_total, over_limit, notice } = summary
  const free = Math.max(seats_total - seats_used, 0)
  // After the subscription has ended there is nothing to add seats to.
  const buyable = seats_total > 0 && seats_total < maximumSeats
  return (
    <Card aria-labelledby="usage-title">
      <CardHeader id="usage-title" title="Seat usage" />
      <div className="space-y-4 px-5 pt-3 pb-5 sm:px-6">
        <div>
          <p className="flex items-baseline justify-between gap-4 text-muted text-sm tabular-nums">
            <span>
              <strong className="font-semibold text-3xl text-ink">{seats_used}</strong> of {seats_total} used
            </span>
            <span>{free} free</span>
          </p>
          <div className="mt-3">
            <SeatBar used={seats_used} total={seats_total} />
          </div>
        </div>
        {over_limit && notice ? (
          <Alert tone="caution">{notice}</Alert>
        ) : free === 0 ? (
          <Alert tone="critical" title="All Seats Used">
            No available seats. Upgrade your subscription to add more members.
          </Alert>
        ) : (
          isNearLimit(summary) && (
            <Alert tone="caution" title="Approaching Seat Limit">
              {free === 1 ? 'One seat is' : `${free} seats are`} left. Add more before the next person joins.
            </Alert>
          )
        )}
        <div className="flex flex-wrap gap-2">
          <Button size="small" onClick={onAssign}>
            Assign Seat
          </Button>
          {buyable && (
            <Button variant="secondary" size="small" onClick={onBuy}>
              <Plus aria-hidden="true" />
              Buy Additional Seats
            </Button>
          )}
        </div>
      </div>
    </Card>
  )
}

function isNearLimit({ seats_used, seats_total }: SeatsSummary): boolean {
  return seats_used > seats_total * 0.8
}
