import { Check } from 'lucide-react'
import type { ReactNode } from 'react'
import { features } from '../../content/site/landing.ts'
import { AccountIllustration, AgentIllustration, CompletionIllustration } from './featureIllustrations.tsx'

const illustrations: Readonly<Record<string, ReactNode>> = {
  agent: <AgentIllustration />,
  tab: <CompletionIllustration />,
  everywhere: <AccountIllustration />,
}

export function FeatureSections() {
  if (features.length === 0) return null
  return (
    <div id="features" className="border-t bg-surface">
      <div className="mx-auto max-w-6xl space-y-20 px-5 py-20 sm:space-y-28 sm:px-8 sm:py-28">
        {features.map((feature, index) => (
          <section key={feature.id} className="grid items-center gap-10 lg:grid-cols-2 lg:gap-20">
            <div className={index % 2 === 1 ? 'lg:order-2' : undefined}>
              <p className="font-medium text-accent-text text-sm">{feature.eyebrow}</p>
              <h2 className="mt-3 text-3xl sm:text-4xl">{feature.title}</h2>
              <p className="mt-5 max-w-prose text-lg text-muted leading-relaxed">{feature.text}</p>
              <ul className="mt-7 space-y-3">
                {feature.points.map((point) => (
                  <li key={point} className="flex items-center gap-3 text-base">
                    <Check aria-hidden="true" className="size-4 shrink-0 text-accent-text" />
                    {point}
                  </li>
                ))}
              </ul>
            </div>
            <div className="min-w-0">{illustrations[feature.id]}</div>
          </section>
        ))}
      </div>
    </div>
  )
}
