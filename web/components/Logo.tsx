import { Link } from 'react-router-dom'
import { useWebConfig } from '../api/catalogue.ts'
import { cn } from '../ui/cn.ts'
import { Mark } from './Mark.tsx'

export function Logo({ className }: { className?: string }) {
  const { brand } = useWebConfig()
  return (
    <Link
      to="/"
      aria-label={`${brand.name} home`}
      className={cn(
        'inline-flex items-center gap-2.5 rounded-md font-semibold text-[17px] tracking-tight',
        className,
      )}
    >
      <Mark />
      {brand.name}
    </Link>
  )
}
