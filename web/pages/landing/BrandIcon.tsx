import type { SimpleIcon } from 'simple-icons'

interface BrandIconProps {
  icon: Pick<SimpleIcon, 'path'>
  className?: string
}

/** A company's logo in one color. Decorative: its name is beside it. */
export function BrandIcon({ icon, className }: BrandIconProps) {
  return (
    <svg viewBox="0 0 24 24" fill="currentColor" aria-hidden="true" className={className}>
      <path d={icon.path} />
    </svg>
  )
}
