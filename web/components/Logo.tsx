import { clsx } from 'clsx'
import { useWebConfig } from '../api/catalogue.ts'

/** A plain link: the landing page is a document of its own. */
export function Logo({ className }: { className?: string }) {
  const { brand } = useWebConfig()
  return (
    <a
      href="/"
      aria-label={`${brand.name} home`}
      className={clsx(
        'inline-flex items-center gap-2.5 rounded-md font-semibold text-lg tracking-tight',
        className,
      )}
    >
      <Mark />
      {brand.name}
    </a>
  )
}

export function Mark({ className = 'size-7' }: { className?: string }) {
  return (
    <svg viewBox="0 0 32 32" fill="none" aria-hidden="true" className={className}>
      <rect width="32" height="32" rx="8" className="fill-accent" />
      <g className="stroke-on-accent" strokeWidth="2.4" strokeLinecap="round">
        <path d="M7 11.5c3 0 3-3 6-3s3 3 6 3 3-3 6-3" opacity="0.4" />
        <path d="M7 17.5c3 0 3-3 6-3s3 3 6 3 3-3 6-3" opacity="0.7" />
        <path d="M7 23.5c3 0 3-3 6-3s3 3 6 3 3-3 6-3" />
      </g>
    </svg>
  )
}
