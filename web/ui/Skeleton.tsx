import { cn } from './cn.ts'

/** The shape of what is coming. Hidden from screen readers: the region around it says that it is loading. */
export function Skeleton({ className }: { className?: string }) {
  return <div aria-hidden="true" className={cn('animate-pulse rounded-md bg-hover', className)} />
}
