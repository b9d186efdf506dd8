import { cn } from './cn.ts'

/** A placeholder for loading content, hidden from screen readers: the region announces it. */
export function Skeleton({ className }: { className?: string }) {
  return <div aria-hidden="true" className={cn('animate-pulse bg-hover [:where(&)]:rounded-md', className)} />
}
