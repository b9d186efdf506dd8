import { clsx } from 'clsx'
import type { ReactNode } from 'react'

interface FactProps {
  term: ReactNode
  /** Below the value. */
  note?: string | undefined
  className?: string
  children: ReactNode
}

/** A line of a `dl`: what it is at the left, and how much at the right. */
export function Fact({ term, note, className, children }: FactProps) {
  return (
    <div className={clsx('flex min-h-5 items-baseline justify-between gap-4', className)}>
      <dt className="text-muted">{term}</dt>
      <dd className="text-right font-medium">
        {children}
        {note && <span className="mt-0.5 block font-normal text-muted text-xs">{note}</span>}
      </dd>
    </div>
  )
}
