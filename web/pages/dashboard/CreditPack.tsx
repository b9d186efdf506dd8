import { creditsCostMinor } from '../../../schema/catalogue/credits.ts'
import { defaultCurrency, formatMoney } from '../../../schema/catalogue/currency.ts'
import { formatCredits } from '../../components/format.ts'

interface CreditPackProps {
  credits: number
  popular: boolean
  selected: boolean
  onSelect: () => void
}

export function CreditPack({ credits, popular, selected, onSelect }: CreditPackProps) {
  return (
    <button
      type="button"
      aria-pressed={selected}
      onClick={onSelect}
      className="relative rounded-control border border-line-strong bg-surface px-2 pt-3.5 pb-3 text-center tabular-nums transition-colors hover:bg-hover disabled:cursor-not-allowed disabled:opacity-50 aria-pressed:border-accent aria-pressed:bg-accent-soft aria-pressed:ring-1 aria-pressed:ring-accent"
    >
      {popular && (
        <span className="-top-2 -translate-x-1/2 absolute left-1/2 rounded-full bg-accent px-1.5 font-semibold text-[10px] text-on-accent leading-4">
          Popular
        </span>
      )}
      <span className="block font-semibold text-[15px] leading-5">{formatCredits(credits)}</span>
      <span className="block text-muted text-xs leading-4">
        {formatMoney(creditsCostMinor(credits), defaultCurrency)}
      </span>
    </button>
  )
}
