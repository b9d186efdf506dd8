import { cva, type VariantProps } from 'class-variance-authority'
import { CircleAlert, CircleCheck, Info, TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'

const alert = cva(
  'flex gap-3 rounded-control border px-4 py-3 text-sm [&>svg]:mt-0.5 [&>svg]:size-4 [&>svg]:shrink-0',
  {
    variants: {
      tone: {
        info: 'border-accent-line bg-accent-soft [&>svg]:text-accent-text',
        positive: 'border-transparent bg-positive-soft [&>svg]:text-positive',
        caution: 'border-caution-line bg-caution-soft [&>svg]:text-caution',
        critical: 'border-critical-line bg-critical-soft [&>svg]:text-critical',
      },
    },
    defaultVariants: { tone: 'info' },
  },
)

const icons = { info: Info, positive: CircleCheck, caution: TriangleAlert, critical: CircleAlert }

interface AlertProps extends VariantProps<typeof alert> {
  title?: string
  children?: ReactNode
}

export function Alert({ tone, title, children }: AlertProps) {
  const Icon = icons[tone ?? 'info']
  return (
    <div role={tone === 'critical' ? 'alert' : 'status'} className={alert({ tone })}>
      <Icon aria-hidden="true" />
      <div className="min-w-0 space-y-0.5 [overflow-wrap:anywhere]">
        {title && <p className="font-medium">{title}</p>}
        {children && <div className="text-ink/80">{children}</div>}
      </div>
    </div>
  )
}
