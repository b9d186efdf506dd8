import { type FormEvent, useId, useState } from 'react'
import { readerLocales } from '../../reader.ts'
import { Button } from '../../ui/Button.tsx'
import type { Knob } from './useSandbox.ts'

interface SandboxClockProps {
  now: string
  isBusy: boolean
  turn: (knob: Knob) => Promise<boolean>
}

const presets = [
  { days: 1, label: '1 day' },
  { days: 15, label: '15 days' },
  { days: 31, label: '1 month' },
  { days: 366, label: '1 year' },
]

export function SandboxClock({ now, isBusy, turn }: SandboxClockProps) {
  const fieldId = useId()
  const [days, setDays] = useState('15')
  const [hasMoved, setHasMoved] = useState(false)
  const count = Number(days)
  const isValid = Number.isInteger(count) && count >= 1 && count <= 3650
  const advance = async (by: number) =>
    setHasMoved(await turn({ path: 'stripe/clock/advance', body: { days: by } }))
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (isValid && !isBusy) void advance(count)
  }
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
        {presets.map(({ days: by, label }) => (
          <Button
            key={by}
            variant="secondary"
            size="small"
            disabled={isBusy}
            onClick={() => void advance(by)}
          >
            +{label}
          </Button>
        ))}
      </div>
      <form className="flex items-end gap-2 pt-1" onSubmit={submit}>
        <label htmlFor={fieldId} className="text-muted text-sm leading-8">
          Days
        </label>
        <input
          id={fieldId}
          inputMode="numeric"
          autoComplete="off"
          value={days}
          aria-invalid={!isValid || undefined}
          onChange={(event) => setDays(event.target.value)}
          className="h-8 w-20 rounded-control border border-line-strong bg-surface px-2.5 text-sm tabular-nums aria-invalid:border-critical"
        />
        <Button type="submit" size="small" busy={isBusy} disabled={isBusy || !isValid}>
          Advance
        </Button>
      </form>
    </>
  )
}

function formatMoment(iso: string): string {
  return new Intl.DateTimeFormat(readerLocales, { dateStyle: 'medium', timeStyle: 'short' }).format(
    new Date(iso),
  )
}
