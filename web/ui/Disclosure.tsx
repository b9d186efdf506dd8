import { ChevronDown } from 'lucide-react'
import type { ReactNode } from 'react'

interface DisclosureProps {
  title: ReactNode
  /** Of those with one name, one at most is open. */
  name?: string | undefined
  className: string
  children: ReactNode
}

/** The browser's own: it works before any script has run, and a search in the page finds what is closed. */
export function Disclosure({ title, name, className, children }: DisclosureProps) {
  return (
    <details name={name} className="group/details">
      <summary
        className={`flex cursor-pointer list-none items-center justify-between font-medium [&::-webkit-details-marker]:hidden ${className}`}
      >
        {title}
        <ChevronDown
          aria-hidden="true"
          className="size-4 shrink-0 text-faint transition-transform group-open/details:rotate-180"
        />
      </summary>
      {children}
    </details>
  )
}
