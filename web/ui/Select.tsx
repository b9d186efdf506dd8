import { ChevronDown } from 'lucide-react'
import { cn } from './cn.ts'

/** Of a small field for a choice or a day, in a row of filters. */
export const filterStyle =
  'h-9 rounded-control border border-line-strong bg-surface px-3 text-sm shadow-low transition-colors hover:border-faint focus-visible:border-accent focus-visible:outline-offset-0'

interface SelectProps<V extends string> {
  label: string
  value: V
  /** Value and text. */
  options: readonly (readonly [V, string])[]
  onChange: (value: V) => void
  className?: string
}

/** A small choice among many. The browser draws the open list. */
export function Select<V extends string>({ label, value, options, onChange, className }: SelectProps<V>) {
  return (
    <span className={cn('relative flex min-w-0 items-center', className)}>
      <select
        aria-label={label}
        value={value}
        onChange={({ target }) => onChange(target.value as V)}
        className={cn(filterStyle, 'w-full min-w-0 cursor-pointer appearance-none truncate pr-8')}
      >
        {options.map(([option, text]) => (
          <option key={option} value={option}>
            {text}
          </option>
        ))}
      </select>
      <ChevronDown aria-hidden="true" className="pointer-events-none absolute right-2.5 size-4 text-faint" />
    </span>
  )
}
