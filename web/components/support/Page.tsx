import type { ReactNode } from 'react'
import { usePageTitle } from '../page.ts'

interface PageProps {
  title: string
  description?: ReactNode
  action?: ReactNode
  children: ReactNode
}

/** A page of the console: its heading, and below it everything else. */
export function Page({ title, description, action, children }: PageProps) {
  usePageTitle(`${title} · Support`)
  return (
    <div className="mx-auto w-full max-w-7xl px-4 py-5 sm:px-6 sm:py-6">
      <div className="mb-4 flex flex-wrap items-center justify-between gap-x-6 gap-y-3">
        <div className="min-w-0">
          <h1 className="text-lg">{title}</h1>
          {description && <p className="text-muted text-sm">{description}</p>}
        </div>
        {action}
      </div>
      {children}
    </div>
  )
}
