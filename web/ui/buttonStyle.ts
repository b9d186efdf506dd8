import { cva } from 'class-variance-authority'

/** A button's style, also for links. A separate file, because `Button` loads more code. */
export const buttonStyle = cva(
  'inline-flex shrink-0 select-none items-center justify-center gap-2 whitespace-nowrap rounded-control font-medium transition-colors disabled:cursor-not-allowed disabled:opacity-50 [&_svg]:size-4 [&_svg]:shrink-0',
  {
    variants: {
      variant: {
        primary: 'bg-accent text-on-accent shadow-low hover:bg-accent-hover disabled:hover:bg-accent',
        secondary: 'border border-line-strong bg-surface text-ink shadow-low hover:bg-hover',
        danger: 'bg-critical text-on-accent shadow-low hover:bg-critical/90 disabled:hover:bg-critical',
        quietDanger: 'text-critical hover:bg-critical-soft',
        quiet: 'text-muted hover:bg-hover hover:text-ink',
      },
      size: {
        small: 'h-8 px-3 [:where(&)]:text-sm',
        medium: 'h-9 px-3.5 text-sm',
        large: 'h-11 px-5 text-base',
        icon: 'size-9',
      },
    },
    defaultVariants: { variant: 'primary', size: 'medium' },
  },
)
