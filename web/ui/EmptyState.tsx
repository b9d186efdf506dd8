import type { LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'
import { cn } from './cn.ts'

interface EmptyStateProps {
  icon: LucideIcon
  title: string
  /** A heading where nothing above it is one of its part. */
  titleAs?: 'h2' | 'p'
  /** The expected content, or the next step. */
  children?: ReactNode
  action?: ReactNode
  className: string
}

/** Replaces an empty list or chart. */
export function EmptyState({
  icon: Icon,
  title,
  titleAs: Title = 'p',
  children,
  action,
  className,
}: EmptyStateProps) {
  return (
    <div className={cn('flex flex-col items-center px-6 text-center', className)}>
      <span className="grid size-11 place-items-center rounded-full bg-sunken text-faint">
        <Icon aria-hidden="true" className="size-5" />
      </span>
      <Title className="mt-4 font-medium text-sm">{title}</Title>
      {children && <div className="mt-1 max-w-xs text-balance text-muted text-sm">{children}</div>}
      {action && <div className="mt-4">{action}</div>}
    </div>
  )
}
