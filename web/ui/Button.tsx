import type { VariantProps } from 'class-variance-authority'
import type { ComponentProps } from 'react'
import { buttonStyle } from './buttonStyle.ts'
import { cn } from './cn.ts'
import { Spinner } from './Spinner.tsx'

interface ButtonProps extends ComponentProps<'button'>, VariantProps<typeof buttonStyle> {
  /** Shows a spinner, and cannot be pressed. */
  busy?: boolean
}

export function Button({ variant, size, busy, className, children, ...props }: ButtonProps) {
  return (
    <button
      type="button"
      className={cn(buttonStyle({ variant, size }), className)}
      aria-busy={busy || undefined}
      {...props}
      disabled={busy || props.disabled}
    >
      {busy && <Spinner />}
      {children}
    </button>
  )
}
