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
