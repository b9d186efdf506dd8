interface SelectProps {
  label: string
  value: string
  /** Value and text. */
  options: readonly (readonly [string, string])[]
  onChange: (value: string) => void
}

/** A small choice among many, as the browser draws it. */
export function Select({ label, value, options, onChange }: SelectProps) {
  return (
    <select
      aria-label={label}
      value={value}
      onChange={({ target }) => onChange(target.value)}
      className="h-8 min-w-0 max-w-full max-sm:w-full rounded-control border border-line-strong bg-surface px-2 text-sm shadow-low"
    >
      {options.map(([option, text]) => (
        <option key={option} value={option}>
          {text}
        </option>
      ))}
    </select>
  )
}
