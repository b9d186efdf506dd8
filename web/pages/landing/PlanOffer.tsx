import { Check } from 'lucide-react'
import type { ReactNode } from 'react'

interface PlanOfferProps {
  name: string
  description: string
  badge?: ReactNode
  price: string
  unit: string
  features: readonly string[]
  action: ReactNode
}

export function PlanOffer({ name, description, badge, price, unit, features, action }: PlanOfferProps) {
  return (
    <article className="flex flex-col rounded-2xl border bg-canvas p-6 sm:p-9">
      <div className="flex items-center gap-3">
        <h3 className="text-xl">{name}</h3>
        {badge}
      </div>
      <p className="mt-1.5 text-[15px] text-muted">{description}</p>
      <p className="mt-7 flex items-baseline gap-2">
        <span className="font-semibold text-5xl tabular-nums tracking-[-0.04em]">{price}</span>
        <span className="text-muted">{unit}</span>
      </p>
      <div className="mt-7 grid">{action}</div>
      <ul className="mt-8 grid gap-x-4 gap-y-3 border-t pt-7 text-sm sm:grid-cols-2">
        {features.map((feature) => (
          <li key={feature} className="flex gap-2.5">
            <Check aria-hidden="true" className="mt-0.5 size-4 shrink-0 text-accent-text" />
            {feature}
          </li>
        ))}
      </ul>
    </article>
  )
}
