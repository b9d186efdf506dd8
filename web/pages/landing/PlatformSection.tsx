import {
  BrainCircuit,
  ChartNoAxesCombined,
  Cpu,
  Import,
  type LucideIcon,
  Route,
  ShieldCheck,
  Workflow,
} from 'lucide-react'
import { isClaimed } from '../../components/marketing/Claims.tsx'
import { SectionHeading } from '../../components/marketing/SectionHeading.tsx'
import { claims } from '../../content/site/claims.ts'
import { more, platform, sections } from '../../content/site/landing.ts'

const icons: Readonly<Record<string, LucideIcon>> = {
  learning: BrainCircuit,
  automation: Workflow,
  mapping: Route,
  prediction: ChartNoAxesCombined,
  models: Cpu,
  familiar: Import,
  privacy: ShieldCheck,
}

export function PlatformSection() {
  if (platform.length + more.length === 0) return null
  return (
    <section id="productivity" aria-labelledby="productivity-title" className="border-t">
      <div className="mx-auto max-w-6xl px-5 py-20 sm:px-8 sm:py-28">
        <SectionHeading id="productivity-title" {...sections.productivity} />
        <CardRow cards={platform} className="mt-12 sm:grid-cols-2 lg:grid-cols-4" />
        <CardRow cards={more} className="mt-5 md:grid-cols-3" />
      </div>
    </section>
  )
}

function CardRow({ cards, className }: { cards: typeof platform; className: string }) {
  if (cards.length === 0) return null
  return (
    <ul className={`grid gap-px overflow-hidden rounded-card border bg-line ${className}`}>
      {cards.map(({ id, title, text }) => {
        const Icon = icons[id]
        const privacy = id === 'privacy' ? [claims.privacy_mode, claims.zero_retention].filter(isClaimed) : []
        return (
          <li key={id} className="bg-surface p-6 sm:p-7">
            {Icon && <Icon aria-hidden="true" className="size-5 text-accent-text" />}
            <h3 className="mt-5 text-base">{title}</h3>
            <p className="mt-2 text-sm text-muted leading-relaxed">
              {[text, ...privacy.map(({ value, label }) => `${value}: ${label}`)].join(' ')}
            </p>
          </li>
        )
      })}
    </ul>
  )
}
