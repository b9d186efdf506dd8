import { useId } from 'react'
import type { ListedPayer } from '../../../schema/api/extension.ts'
import { formatCredits } from '../format.ts'

interface PayerChoiceProps {
  payers: readonly ListedPayer[]
  value: string | undefined
  onChange: (payer: string) => void
}

const reasons = { no_seat: 'You have no seat', no_credits: 'No credits', payment_failed: 'Payment failed' }

/** Who could pay for an editor, to choose from. Where the person alone could, it only says so. */
export function PayerChoice({ payers, value, onChange }: PayerChoiceProps) {
  const group = useId()
  const isChoice = hasChoice(payers)
  const Row = isChoice ? 'label' : 'div'
  return (
    <fieldset className="space-y-2 text-sm">
      <legend className="sr-only">Who pays</legend>
      {payers.map(({ id, name, available, cannot_pay }) => (
        <Row
          key={id}
          className="flex items-baseline gap-2.5 has-disabled:text-muted has-enabled:cursor-pointer"
        >
          {isChoice && (
            <input
              type="radio"
              name={group}
              checked={id === value}
              disabled={cannot_pay === 'no_seat'}
              onChange={() => onChange(id)}
              className="size-4 shrink-0 translate-y-0.5 accent-accent"
            />
          )}
          <span className="flex min-w-0 flex-1 flex-wrap justify-between gap-x-3">
            <span className="min-w-0 grow basis-32 font-medium [overflow-wrap:anywhere]">{name}</span>
            <span className="text-muted tabular-nums">
              {cannot_pay ? reasons[cannot_pay] : `${formatCredits(available)} credits`}
            </span>
          </span>
        </Row>
      ))}
    </fieldset>
  )
}

export function hasChoice(payers: readonly ListedPayer[] | undefined): payers is readonly ListedPayer[] {
  return payers !== undefined && payers.filter(({ cannot_pay }) => cannot_pay !== 'no_seat').length > 1
}

export const defaultPayer = (payers: readonly ListedPayer[] | undefined): string | undefined =>
  payers?.find(({ is_default }) => is_default)?.id
