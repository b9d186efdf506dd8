import { cva, type VariantProps } from 'class-variance-authority'
import type { ComponentProps } from 'react'

const badge = cva(
  'inline-flex items-center gap-1.5 rounded-full border font-medium leading-4 [&_svg]:size-3.5',
  {
    variants: {
      tone: {
        neutral: 'border-line bg-sunken text-muted',
        accent: 'border-accent-line bg-accent-soft text-accent-text',
        positive: 'border-transparent bg-positive-soft text-positive',
        caution: 'border-caution-line bg-caution-soft text-caution',
        critical: 'border-critical-line bg-critical-soft text-critical',
      },
      size: { small: 'px-2 py-0.5 text-xs', large: 'px-3 py-1 text-sm' },
    },
    defaultVariants: { tone: 'neutral', size: 'small' },
  },
)

export function Badge({
  tone,
  size,
  className,
  ...props
}: ComponentProps<'span'> & VariantProps<typeof badge>) {
  return <span className={badge({ tone, size, className })} {...props} />
}
