import { creditsCostMinor } from '../../../schema/catalogue/credits.ts'
import type { Currency } from '../../../schema/catalogue/currency.ts'
import { formatCredits, formatMoney } from '../format.ts'

interface CreditPackProps {
  credits: number
  popular: boolean
  currency: Currency
  selected: boolean
  onSelect: () => void
}

export function CreditPack({ credits, popular, currency, selected, onSelect }: CreditPackProps) {
  const price = formatMoney(creditsCostMinor(credits), currency)
  return (
    <button
      type="button"
      aria-pressed={selected}
      onClick={onSelect}
      className="relative rounded-control border border-line-strong bg-surface px-1 pt-3.5 pb-3 text-center tabular-nums transition-colors hover:bg-hover disabled:cursor-not-allowed disabled:opacity-50 aria-pressed:border-accent aria-pressed:bg-accent-soft aria-pressed:ring-1 aria-pressed:ring-accent"
    >
      <span className="sr-only">
        {formatCredits(credits)} credits for {price}
        {popular && ', popular'}
      </span>
      <span aria-hidden="true" className="block font-semibold text-base leading-5">
        {formatCredits(credits)}
      </span>
      <span aria-hidden="true" className="block text-muted text-xs leading-4">
        {price}
      </span>
      {popular && (
        <span
          aria-hidden="true"
          className="-top-2 -translate-x-1/2 absolute left-1/2 rounded-full bg-accent px-1.5 font-semibold text-2xs text-on-accent leading-4"
        >
          Popular
        </span>
      )}
    </button>
  )
}
