import type { ReactNode } from 'react'

/** The page's content: what the skip link and a route change move the focus to. */
export function Main({ className, children }: { className?: string; children: ReactNode }) {
  return (
    <main id="main" tabIndex={-1} className={className}>
      {children}
    </main>
  )
}
