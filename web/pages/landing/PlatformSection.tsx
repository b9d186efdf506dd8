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
import { SectionHeading } from '../../components/marketing/SectionHeading.tsx'
import { more, platform } from '../../content/landing.ts'

const icons: Record<(typeof platform | typeof more)[number]['id'], LucideIcon> = {
  learning: BrainCircuit,
  automation: Workflow,
  mapping: Route,
  prediction: ChartNoAxesCombined,
  models: Cpu,
  familiar: Import,
  privacy: ShieldCheck,
}

export function PlatformSection() {
  return (
    <section id="productivity" aria-labelledby="productivity-title" className="border-t">
      <div className="mx-auto max-w-6xl px-5 py-20 sm:px-8 sm:py-28">
        <SectionHeading
          id="productivity-title"
          title="Less busywork, more building"
          text="Help with everything around the code that quietly eats up your day."
        />
        <ul className="mt-12 grid gap-px overflow-hidden rounded-card border bg-line sm:grid-cols-2 lg:grid-cols-4">
          {platform.map((card) => (
            <PlatformCard key={card.id} {...card} Icon={icons[card.id]} />
          ))}
        </ul>
        <ul className="mt-5 grid gap-px overflow-hidden rounded-card border bg-line md:grid-cols-3">
          {more.map((card) => (
            <PlatformCard key={card.id} {...card} Icon={icons[card.id]} />
          ))}
        </ul>
      </div>
    </section>
  )
}

function PlatformCard({ title, text, Icon }: { title: string; text: string; Icon: LucideIcon }) {
  return (
    <li className="bg-surface p-6 sm:p-7">
      <Icon aria-hidden="true" className="size-5 text-accent-text" />
      <h3 className="mt-5 text-base">{title}</h3>
      <p className="mt-2 text-sm text-muted leading-relaxed">{text}</p>
    </li>
  )
}
