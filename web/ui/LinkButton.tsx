import type { VariantProps } from 'class-variance-authority'
import type { ComponentProps } from 'react'
import { buttonStyle } from './buttonStyle.ts'

/** A plain link that looks like a button. Its `className` adds to the style and overrides nothing. */
export function LinkButton({
  variant,
  size,
  className,
  children,
  ...props
}: ComponentProps<'a'> & VariantProps<typeof buttonStyle>) {
  return (
    <a className={buttonStyle({ variant, size, className })} {...props}>
      {children}
    </a>
  )
}
