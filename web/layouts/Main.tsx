import type { ReactNode } from 'react'

/** The page's content. The skip link and a change of route move the focus here. */
export function Main({ className, children }: { className?: string; children: ReactNode }) {
  return (
    <main id="main" tabIndex={-1} className={className}>
      {children}
    </main>
  )
}

export function SkipLink() {
  return (
    <a
      href="#main"
      className="sr-only rounded-control bg-accent px-4 py-2 font-medium text-on-accent focus:not-sr-only focus:fixed focus:top-3 focus:left-3 focus:z-50"
    >
      Skip to content
    </a>
  )
}

/** Shown until the settings are loaded, so it can show neither the brand nor the theme switch. */
export function BootSkeleton() {
  return (
    <main className="grid min-h-dvh place-items-center">
      <h1 className="sr-only">Loading</h1>
      <div aria-hidden="true" className="size-10 animate-pulse rounded-[10px] bg-hover" />
    </main>
  )
}
