import { useState } from 'react'
import { Button } from '../../ui/Button.tsx'
import type { KnobProps, SandboxState } from './useSandbox.ts'

/** Clerk's own knob affects the backend's calls unless it is told otherwise, so that it signs no user out. */
const offers = [
  { service: 'stripe', label: 'Stripe: five errors (500)', body: { status: 500, count: 5 } },
  { service: 'stripe', label: 'Stripe: five times too busy (429)', body: { status: 429, count: 5 } },
  {
    service: 'stripe',
    label: 'Stripe: one lost answer',
    body: { drop_after: true, count: 1, method: 'POST' },
  },
  { service: 'clerk', label: 'Clerk: five errors (500)', body: { status: 500, count: 5 } },
  { service: 'gateway', label: 'Model: one broken answer', body: { drop_after: true, count: 1 } },
] as const

export function FaultKnobs({ state, isBusy, turn }: KnobProps & { state: SandboxState }) {
  const failing = (['stripe', 'clerk', 'gateway'] as const).filter((name) => state[name]?.faults.length)
  const faults = failing.flatMap((name) => state[name]?.faults ?? [])
  const ordered = faults.reduce((sum, { count }) => sum + (count ?? 0), 0)
  const clear = async () => {
    for (const name of failing) await turn({ path: `${name}/faults`, body: null })
  }
  return (
    <>
      <div className="flex flex-wrap gap-1.5">
        {offers
          .filter(({ service }) => state[service] !== null)
          .map(({ service, label, body }) => (
            <Button
              key={label}
              variant="secondary"
              size="small"
              disabled={isBusy}
              onClick={() => void turn({ path: `${service}/faults`, body })}
            >
              {label}
            </Button>
          ))}
      </div>
      <p aria-live="polite" className="flex min-h-8 items-center gap-3 text-muted text-sm">
        {ordered === 0 ? 'All calls work.' : `${ordered} ${ordered === 1 ? 'call' : 'calls'} will fail.`}
        {ordered > 0 && (
          <button
            type="button"
            disabled={isBusy}
            className="text-accent-text underline underline-offset-4"
            onClick={() => void clear()}
          >
            Let them work again
          </button>
        )}
      </p>
    </>
  )
}

const modes = [
  { mode: 'normal', label: 'At once', effect: 'as it should be' },
  { mode: 'late', label: 'Late', effect: 'five seconds after the payment' },
  { mode: 'twice', label: 'Twice', effect: 'each event two times at once' },
  { mode: 'out_of_order', label: 'Out of order', effect: 'the last one first' },
  { mode: 'never', label: 'Never', effect: 'withheld; we find out by ourselves' },
] as const

interface DeliveryKnobProps extends KnobProps {
  stripe: NonNullable<SandboxState['stripe']>
}

export function DeliveryKnob({ stripe, isBusy, turn }: DeliveryKnobProps) {
  const current = stripe.delivery_rules[0]?.mode ?? 'normal'
  const [chosen, setChosen] = useState<string>(current)
  const { withheld } = stripe.deliveries
  const choose = async (mode: string) => {
    setChosen(mode)
    if (!(await turn({ path: 'stripe/deliveries', body: { mode } }))) setChosen(current)
  }
  return (
    <>
      <fieldset disabled={isBusy} className="space-y-1">
        <legend className="sr-only">Events arrive</legend>
        {modes.map(({ mode, label, effect }) => (
          <label key={mode} className="flex cursor-pointer items-baseline gap-2.5 py-0.5 text-sm">
            <input
              type="radio"
              name="sandbox-deliveries"
              checked={mode === chosen}
              onChange={() => void choose(mode)}
              className="accent-accent"
            />
            <span>
              {label} <span className="text-muted">{effect}</span>
            </span>
          </label>
        ))}
      </fieldset>
      {withheld > 0 && (
        <Button
          variant="secondary"
          size="small"
          disabled={isBusy}
          onClick={() => void turn({ path: 'stripe/deliveries/release', body: {} })}
        >
          Deliver {withheld} withheld {withheld === 1 ? 'event' : 'events'} now
        </Button>
      )}
    </>
  )
}
