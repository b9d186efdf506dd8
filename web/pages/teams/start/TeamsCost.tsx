import type { Currency } from '../../../../schema/catalogue/currency.ts'
import { type BillingFrequency, plans } from '../../../../schema/catalogue/plans.ts'
import { formatCredits, formatMoney } from '../../../components/format.ts'

interface TeamsCostProps {
  /** Null while the number is not one that can be bought. */
  seats: number | null
  billing: BillingFrequency
  currency: Currency
}

const { price_minor, credits_per_seat } = plans.teams

/** What the team will pay, and what it gets for it. */
export function TeamsCost({ seats, billing, currency }: TeamsCostProps) {
  const money = (amount_minor: number) => formatMoney(amount_minor, currency)
  const isYearly = billing === 'yearly'
  const saved = (price_minor.monthly * 12 - price_minor.yearly) * (seats ?? 0)
  return (
    <dl
      aria-label="What it costs"
      aria-live="polite"
      className="mt-4 divide-y divide-line rounded-control border bg-sunken text-sm tabular-nums"
    >
      <Line term="Each seat" note={isYearly ? 'a year' : 'a month'}>
        {money(price_minor[billing])}
      </Line>
      <Line term="Total" note={isYearly ? 'a year' : 'a month'} strong>
        {seats === null ? '–' : money(price_minor[billing] * seats)}
      </Line>
      <Line term="Credits for the pool" note="every month">
        {seats === null ? '–' : formatCredits(credits_per_seat * seats)}
      </Line>
      {isYearly && saved > 0 && (
        <Line term="Saved against monthly" note="a year">
          {money(saved)}
        </Line>
      )}
    </dl>
  )
}

interface LineProps {
  term: string
  note: string
  strong?: boolean
  children: string
}

function Line({ term, note, strong, children }: LineProps) {
  return (
    <div className="flex items-baseline justify-between gap-4 px-4 py-2.5">
      <dt className="text-muted">{term}</dt>
      <dd>
        <span className={strong ? 'font-semibold text-base' : 'font-medium'}>{children}</span>{' '}
        <span className="text-muted text-xs">{note}</span>
      </dd>
    </div>
  )
}
