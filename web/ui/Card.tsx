import type { ComponentProps, ReactNode } from 'react'
import { cn } from './cn.ts'

export function Card({ className, ...props }: ComponentProps<'section'>) {
  return (
    <section className={cn('rounded-card border border-line bg-surface shadow-low', className)} {...props} />
  )
}

interface CardHeaderProps {
  id?: string
  title: string
  description?: ReactNode
  action?: ReactNode
}

export function CardHeader({ id, title, description, action }: CardHeaderProps) {
  return (
    <header className="flex items-start justify-between gap-4 px-5 pt-5 sm:px-6">
      <div className="min-w-0">
        <h2 id={id} className="font-semibold text-base">
          {title}
        </h2>
        {description && <p className="mt-0.5 text-muted text-sm">{description}</p>}
      </div>
      {action}
    </header>
  )
}
