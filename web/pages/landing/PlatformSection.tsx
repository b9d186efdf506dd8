import { BrainCircuit, ChartNoAxesCombined, Cpu, Route, ShieldCheck, Workflow } from 'lucide-react'
import { platform } from '../../content/landing.ts'
import { SectionHeading } from './SectionHeading.tsx'

const icons = [BrainCircuit, Workflow, Route, ChartNoAxesCombined, Cpu, ShieldCheck]

export function PlatformSection() {
  return (
    <section id="productivity" aria-labelledby="productivity-title" className="border-t">
      <div className="mx-auto max-w-6xl px-5 py-20 sm:px-8 sm:py-28">
        <SectionHeading
          id="productivity-title"
          title="Less busywork, more building"
          text="Help with everything around the code that quietly eats up your day."
        />
        <ul className="mt-12 grid gap-px overflow-hidden rounded-card border bg-line sm:grid-cols-2 lg:grid-cols-3">
          {platform.map(({ title, text }, index) => {
            const Icon = icons[index] ?? Cpu
            return (
              <li key={title} className="bg-surface p-7">
                <Icon aria-hidden="true" className="size-5 text-accent-text" />
                <h3 className="mt-5 text-base">{title}</h3>
                <p className="mt-2 text-[15px] text-muted leading-relaxed">{text}</p>
              </li>
            )
          })}
        </ul>
      </div>
    </section>
  )
}
