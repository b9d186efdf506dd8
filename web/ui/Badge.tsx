import { cva, type VariantProps } from 'class-variance-authority'
import type { ComponentProps } from 'react'
import { cn } from './cn.ts'

const badge = cva(
  'inline-flex items-center gap-1.5 rounded-full border px-2 py-0.5 font-medium text-xs leading-4 [&_svg]:size-3.5',
  {
    variants: {
      tone: {
        neutral: 'border-line bg-sunken text-muted',
        accent: 'border-accent-line bg-accent-soft text-accent-text',
        positive: 'border-transparent bg-positive-soft text-positive',
        caution: 'border-caution-line bg-caution-soft text-caution',
      },
    },
    defaultVariants: { tone: 'neutral' },
  },
)

export function Badge({ tone, className, ...props }: ComponentProps<'span'> & VariantProps<typeof badge>) {
  return <span className={cn(badge({ tone }), className)} {...props} />
}
