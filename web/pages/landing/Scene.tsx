import type { ReactNode } from 'react'

/** The ground that the feature pictures stand on. */
export function Scene({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div
      role="img"
      aria-label={label}
      className="rounded-2xl border bg-linear-to-br from-accent-soft to-sunken p-5 sm:p-9"
    >
      {children}
    </div>
  )
}
