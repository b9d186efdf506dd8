import type { VariantProps } from 'class-variance-authority'
import { Slot } from 'radix-ui'
import type { ComponentProps } from 'react'
import { buttonStyle } from './buttonStyle.ts'
import { cn } from './cn.ts'
import { Spinner } from './Spinner.tsx'

interface ButtonProps extends ComponentProps<'button'>, VariantProps<typeof buttonStyle> {
  /** Styles its only child, usually a link, as a button. */
  asChild?: boolean
  /** Shows a spinner, and cannot be pressed. */
  busy?: boolean
}

export function Button({ variant, size, asChild, busy, className, children, ...props }: ButtonProps) {
  const classes = cn(buttonStyle({ variant, size }), className)
  if (asChild) {
    return (
      <Slot.Root className={classes} {...props}>
        {children}
      </Slot.Root>
    )
  }
  return (
    <button
      type="button"
      className={classes}
      aria-busy={busy || undefined}
      {...props}
      disabled={busy || props.disabled}
    >
      {busy && <Spinner />}
      {children}
    </button>
  )
}
