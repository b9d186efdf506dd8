import { cn } from './cn.ts'

/** A placeholder for loading content, hidden from screen readers: the region announces it. */
export function Skeleton({ className }: { className?: string }) {
  return <div aria-hidden="true" className={cn('animate-pulse bg-hover [:where(&)]:rounded-md', className)} />
}

export function AuthFormSkeleton() {
  return (
    <div
      role="status"
      className="w-full max-w-[25rem] space-y-4 rounded-card border bg-surface p-8 shadow-card"
    >
      <span className="sr-only">Loading the form</span>
      <Skeleton className="mx-auto h-6 w-48" />
      <Skeleton className="mx-auto h-4 w-60" />
      <Skeleton className="mt-8 h-9 w-full" />
      <Skeleton className="h-9 w-full" />
      <Skeleton className="h-9 w-full" />
    </div>
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
