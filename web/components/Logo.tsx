import { clsx } from 'clsx'
import { useWebConfig } from '../api/catalogue.ts'
import logo from '../content/logo.svg'

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
  return <img src={logo} alt="" className={className} />
}
