import type { VariantProps } from 'class-variance-authority'
import { Link, type LinkProps } from 'react-router-dom'
import { buttonStyle } from '../ui/buttonStyle.ts'
import { cn } from '../ui/cn.ts'

type RouteButtonProps = LinkProps & VariantProps<typeof buttonStyle>

/** A link to a page of the app that looks like a button. To another document leads `LinkButton`. */
export function RouteButton({ variant, size, className, ...link }: RouteButtonProps) {
  return <Link className={cn(buttonStyle({ variant, size }), className)} {...link} />
}

/** Leads to the form for credits. */
export function AddCreditsLink({ onFollow }: { onFollow?: () => void }) {
  return (
    <RouteButton to="/dashboard#add-credits" onClick={onFollow} variant="secondary" size="small">
      Add credits
    </RouteButton>
  )
}
