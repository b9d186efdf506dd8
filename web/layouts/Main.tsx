import type { ReactNode } from 'react'

/** The page's content. The skip link and a change of route move the focus here. */
export function Main({ className, children }: { className?: string; children: ReactNode }) {
  return (
    <main id="main" tabIndex={-1} className={className}>
      {children}
    </main>
  )
}
