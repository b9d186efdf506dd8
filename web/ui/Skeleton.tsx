import { cn } from './cn.ts'

/**
 * A placeholder for content that is loading. Hidden from screen readers; the surrounding region announces the
 * loading.
 */
export function Skeleton({ className }: { className?: string }) {
  return <div aria-hidden="true" className={cn('animate-pulse bg-hover [:where(&)]:rounded-md', className)} />
}
