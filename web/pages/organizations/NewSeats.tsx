import { useEffect, useState } from 'react'
import { useSearchParams } from 'react-router-dom'
import { maximumSeats } from '../../../schema/catalogue/plans.ts'
import { Alert } from '../../ui/Alert.tsx'
import { Spinner } from '../../ui/Spinner.tsx'
import { toast } from '../../ui/toast.ts'

const pollMs = 1500
/** Then the page stops asking. The seats are bought; a reload shows them. */
const patienceMs = 2 * 60_000

interface SeatsState {
  state: { data?: { seats_total: number } | undefined; dataUpdatedAt: number }
}

/** The seats confirmed on Stripe's page, which become ours when the event is applied. */
export function useExpectedSeats() {
  const [search] = useSearchParams()
  const [since] = useState(() => Date.now())
  const seats = Number(search.get('seats'))
  const expected = Number.isInteger(seats) && seats >= 1 && seats <= maximumSeats ? seats : null
  return {
    seats: expected,
    pollMs: ({ state }: SeatsState) => {
      const waits = expected !== null && (state.data?.seats_total ?? 0) < expected
      return waits && Date.now() - since < patienceMs ? pollMs : false
    },
  }
}

export function NewSeats({ expected, seats_total }: { expected: number | null; seats_total: number }) {
  const [, setSearch] = useSearchParams()
  const isThere = expected !== null && seats_total >= expected
  useEffect(() => {
    if (!isThere) return
    toast.success(`The organization has ${seats_total} seats now`, { id: 'seats' })
    setSearch((now) => [...now].filter(([name]) => name !== 'seats'), { replace: true })
  }, [isThere, seats_total, setSearch])
  if (expected === null || isThere) return null
  return (
    <Alert title="Your seats are on their way">
      <span className="flex items-center gap-2">
        <Spinner className="size-3.5 shrink-0" />
        The change to {expected} seats is being confirmed. This usually takes a few seconds.
      </span>
    </Alert>
  )
}
