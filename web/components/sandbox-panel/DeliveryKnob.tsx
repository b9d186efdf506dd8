import { useState } from 'react'
import { Button } from '../../ui/Button.tsx'
import type { KnobProps, SandboxState } from './useSandbox.ts'

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
