import type { ReactNode } from 'react'

interface SegmentsProps<Value extends string> {
  label: string
  name: string
  value: Value
  options: readonly { value: Value; label: ReactNode }[]
  onChange: (value: Value) => void
}

/** One of a few choices, all of them seen. Radio buttons, so that arrow keys choose. */
export function Segments<Value extends string>({
  label,
  name,
  value,
  options,
  onChange,
}: SegmentsProps<Value>) {
  return (
    <fieldset className="inline-flex rounded-full border bg-sunken p-1">
      <legend className="sr-only">{label}</legend>
      {options.map((option) => (
        <label
          key={option.value}
          className="relative flex h-8 cursor-pointer items-center gap-2 whitespace-nowrap rounded-full px-3.5 font-medium text-muted text-sm transition-colors hover:text-ink has-checked:bg-surface has-checked:text-ink has-checked:shadow-low has-focus-visible:outline-2 has-focus-visible:outline-accent has-focus-visible:outline-offset-2"
        >
          <input
            type="radio"
            name={name}
            value={option.value}
            checked={option.value === value}
            onChange={() => onChange(option.value)}
            className="absolute inset-0 cursor-pointer appearance-none rounded-full outline-none"
          />
          {option.label}
        </label>
      ))}
    </fieldset>
  )
}
