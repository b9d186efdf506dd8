import { Search } from 'lucide-react'
import { useEffect, useState } from 'react'
import { cn } from '../ui/cn.ts'

interface SearchFieldProps {
  label: string
  placeholder: string
  maxLength: number
  /** As the address has it. */
  value: string
  /** Called with the trimmed text after a pause. */
  onChange: (text: string) => void
  className?: string
}

const typingPauseMs = 300

/** A search that filters while the user types, and whose text is kept in the URL. */
export function SearchField({ label, placeholder, maxLength, value, onChange, className }: SearchFieldProps) {
  const [text, setText] = useState(value)
  const typed = text.trim()
  // Typed text goes to the URL after a pause; changes of the URL ("Clear the search") come back.
  const [known, setKnown] = useState(value)
  if (known !== value) {
    setKnown(value)
    if (typed !== value) setText(value)
  }
  useEffect(() => {
    if (typed === value) return
    const timer = setTimeout(() => onChange(typed), typingPauseMs)
    return () => clearTimeout(timer)
  })
  return (
    <div className={cn('relative flex h-9 min-w-0 flex-1 items-center text-sm', className)}>
      <Search aria-hidden="true" className="absolute left-3 size-4 text-faint" />
      <input
        type="search"
        aria-label={label}
        placeholder={placeholder}
        maxLength={maxLength}
        value={text}
        onChange={({ target }) => setText(target.value)}
        className="h-full w-full rounded-control border border-line-strong bg-surface pr-3 pl-9 shadow-low placeholder:text-faint"
      />
    </div>
  )
}
