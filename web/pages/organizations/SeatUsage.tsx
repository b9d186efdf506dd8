import { Plus } from 'lucide-react'
import type { SeatsSummary } from '../../../schema/api/organization-seats.ts'
import { SeatBar } from '../../components/SeatBar.tsx'
import { Alert } from '../../ui/Alert.tsx'
import { Button } from '../../ui/Button.tsx'
import { Card, CardHeader } from '../../ui/Card.tsx'
import { seatsOf } from './seats.ts'

interface SeatUsageProps {
  summary: SeatsSummary
  onBuy: () => void
  onAssign: () => void
}

export function SeatUsage({ summary, onBuy, onAssign }: SeatUsageProps) {
  const { seats_used, seats_total } = summary
  const { free, isBuyable, notice } = seatsOf(summary)
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
        {notice && (
          <Alert tone={notice.tone} {...(notice.title && { title: notice.title })}>
            {notice.text}
          </Alert>
        )}
        <div className="flex flex-wrap gap-2">
          <Button size="small" onClick={onAssign}>
            Assign Seat
          </Button>
          {isBuyable && (
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
