import { clsx } from 'clsx'
import type { LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'
import { Spinner } from '../ui/Spinner.tsx'

const tones = {
  busy: 'bg-sunken text-muted',
  positive: 'bg-positive-soft text-positive',
  caution: 'bg-caution-soft text-caution',
  critical: 'bg-critical-soft text-critical',
  neutral: 'bg-sunken text-muted',
}

interface StatusViewProps {
  tone: keyof typeof tones
  /** Left out while busy, when a spinner is shown instead. */
  Icon?: LucideIcon
  /** Drawn around the icon. */
  decoration?: ReactNode
  title: string
  text?: ReactNode
  children?: ReactNode
  actions?: ReactNode
}

/** A card with a single message, such as the outcome of a payment or a sign-up. */
export function StatusView({ tone, Icon, decoration, title, text, children, actions }: StatusViewProps) {
  return (
    <section className="w-full max-w-md animate-rise rounded-card border bg-surface p-6 shadow-card sm:p-8">
      <div className={clsx('relative grid size-11 place-items-center rounded-full', tones[tone])}>
        {decoration}
        {Icon ? <Icon aria-hidden="true" className="size-5" /> : <Spinner className="size-5" />}
      </div>
      <div aria-live="polite">
        <h1 className="mt-5 text-xl">{title}</h1>
        {text && <p className="mt-2 text-base text-muted leading-relaxed [overflow-wrap:anywhere]">{text}</p>}
      </div>
      {children && <div className="mt-6 space-y-4">{children}</div>}
      {actions && <div className="mt-7 flex flex-col gap-2.5 sm:flex-row sm:[&>*]:flex-1">{actions}</div>}
    </section>
  )
}
