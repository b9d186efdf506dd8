import { useState } from 'react'
import { readerLocales } from '../../reader.ts'
import { Button } from '../../ui/Button.tsx'
import type { KnobProps } from './useSandbox.ts'

/** Steps that add up: pressed twice they go twice as far. */
const steps = [
  { days: 1, label: '1 day' },
  { days: 15, label: '15 days' },
  { days: 31, label: '1 month' },
  { days: 366, label: '1 year' },
]

export function SandboxClock({ now, isBusy, turn }: KnobProps & { now: string }) {
  const [hasMoved, setHasMoved] = useState(false)
  const advance = async (days: number) =>
    setHasMoved(await turn({ path: 'stripe/clock/advance', body: { days } }))
  return (
    <>
      <p aria-live="polite" className="text-sm">
        It is now <strong className="font-semibold">{formatMoment(now)}</strong>.{' '}
        {hasMoved && (
          <button
            type="button"
            className="text-accent-text underline underline-offset-4"
            onClick={() => window.location.reload()}
          >
            Reload to see what has changed
          </button>
        )}
      </p>
      <div className="flex flex-wrap gap-1.5 pt-1">
        {steps.map(({ days, label }) => (
          <Button
            key={days}
            variant="secondary"
            size="small"
            disabled={isBusy}
            onClick={() => void advance(days)}
          >
            +{label}
          </Button>
        ))}
      </div>
    </>
  )
}

function formatMoment(iso: string): string {
  return new Intl.DateTimeFormat(readerLocales, { dateStyle: 'medium', timeStyle: 'short' }).format(
    new Date(iso),
  )
}
