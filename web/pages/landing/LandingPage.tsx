import {
  BrainCircuit,
  ChartNoAxesCombined,
  Check,
  Cpu,
  Import,
  type LucideIcon,
  Pause,
  Play,
  Route,
  ShieldCheck,
  Workflow,
} from 'lucide-react'
import type { ReactNode } from 'react'
import {
  FaqSection,
  Fixed,
  isClaimed,
  SampleMark,
  SectionHeading,
  SourceOf,
} from '../../components/marketing/sections.tsx'
import { TideLines } from '../../components/TideLines.tsx'
import { usePrice } from '../../components/usePrice.ts'
import { claims } from '../../content/site/claims.ts'
import { landingFaq } from '../../content/site/faq.ts'
import { integrations } from '../../content/site/integrations.ts'
import { features, landing, more, platform, sections } from '../../content/site/landing.ts'
import { landingCards } from '../../content/site/plans.ts'
import { buttonStyle } from '../../ui/buttonStyle.ts'
import { AccountIllustration, AgentIllustration, CompletionIllustration } from './featureIllustrations.tsx'
import { Hero, StartButton } from './Hero.tsx'
import { CapabilitiesSection, PricingSection } from './sections.tsx'

export function LandingPage() {
  return (
    <>
      <Hero />
      <Fixed id="how-it-works">
        {(import.meta.env.SSR || import.meta.env.DEV) && (
          <>
            <ClaimsSection />
            <FeatureSections />
            <IntegrationsSection />
            <PlatformSection />
          </>
        )}
      </Fixed>
      <CapabilitiesSection />
      <PricingSection />
      <FaqSection items={landingFaq(usePrice())} open="one" />
      <ClosingCall />
    </>
  )
}

function ClosingCall() {
  return (
    <section aria-labelledby="closing-title" className="relative isolate overflow-hidden border-t bg-surface">
      <TideLines className="absolute inset-x-0 bottom-0 -z-10 h-64" />
      <div className="mx-auto flex max-w-3xl flex-col items-center px-5 py-24 text-center sm:px-8 sm:py-32">
        <h2 id="closing-title" className="text-3xl sm:text-4xl">
          {sections.closing.title}
        </h2>
        <p className="mt-5 text-lg text-muted">{sections.closing.text}</p>
        <div className="mt-9">
          <StartButton />
        </div>
      </div>
    </section>
  )
}

/** What the operator says in numbers, and the mark of the whole page. */
function ClaimsSection() {
  const { users, enterprises, code_by_ai, preference } = claims
  const shown = [users, enterprises, code_by_ai, preference].filter(isClaimed)
  return (
    <div className="mx-auto max-w-6xl px-5 sm:px-8">
      {shown.length > 0 && (
        <dl className="flex flex-wrap justify-center gap-x-6 gap-y-8 pb-8 text-center">
          {shown.map((claim) => (
            <div key={claim.label} className="flex min-w-32 flex-1 flex-col">
              <dt className="order-last text-muted text-sm">
                {claim.label}
                <SourceOf claim={claim} />
              </dt>
              <dd className="font-semibold text-3xl tabular-nums sm:text-4xl">{claim.value}</dd>
            </div>
          ))}
        </dl>
      )}
      <SampleMark of={{ claims, landing, landingCards }} className="pb-10 text-center" />
    </div>
  )
}

const illustrations: Readonly<Record<string, ReactNode>> = {
  agent: <AgentIllustration />,
  tab: <CompletionIllustration />,
  everywhere: <AccountIllustration />,
}

function FeatureSections() {
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

const icons: Readonly<Record<string, LucideIcon>> = {
  learning: BrainCircuit,
  automation: Workflow,
  mapping: Route,
  prediction: ChartNoAxesCombined,
  models: Cpu,
  familiar: Import,
  privacy: ShieldCheck,
}

function PlatformSection() {
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

/**
 * A row that moves without a reader’s doing, and stands still while a pointer or the keyboard is on it, by its
 * switch, and for readers who want no motion. It works without a script: only the server renders it.
 */
function IntegrationsSection() {
  if (integrations.length === 0) return null
  return (
    <section aria-labelledby="integrations-title" className="group border-t bg-surface">
      <div className="mx-auto max-w-6xl px-5 py-12 sm:px-8 sm:py-14">
        <h2 id="integrations-title" className="text-center font-medium text-muted text-sm tracking-normal">
          {sections.integrations}
        </h2>
        <div className="mt-8 overflow-hidden motion-safe:[mask-image:linear-gradient(to_right,transparent,black_5%,black_95%,transparent)]">
          <div
            data-moving
            className="flex hover:[animation-play-state:paused] group-has-[:checked]:[animation-play-state:paused] group-has-[:focus-visible]:[animation-play-state:paused] motion-safe:w-max motion-safe:animate-slide"
          >
            <Tools />
            <Tools copy />
          </div>
        </div>
        <label
          className={buttonStyle({
            variant: 'quiet',
            size: 'icon',
            className:
              'mx-auto mt-4 flex! has-[:focus-visible]:outline-2 has-[:focus-visible]:outline-accent motion-reduce:hidden!',
          })}
        >
          <input type="checkbox" className="peer sr-only" />
          <span className="sr-only">Pause the row of tools</span>
          <Pause aria-hidden="true" className="peer-checked:hidden" />
          <Play aria-hidden="true" className="hidden peer-checked:block" />
        </label>
      </div>
    </section>
  )
}

/** The copy follows the row without a gap, and is for the eye only. */
function Tools({ copy }: { copy?: boolean }) {
  return (
    <ul
      aria-hidden={copy}
      className={`flex shrink-0 gap-x-12 gap-y-6 pr-12 motion-reduce:shrink motion-reduce:flex-wrap motion-reduce:justify-center ${copy ? 'motion-reduce:hidden' : ''}`}
    >
      {integrations.map(({ slug, title, path }) => (
        <li
          key={slug}
          className="flex items-center gap-2.5 font-semibold text-base text-faint tracking-tight transition-colors hover:text-ink"
        >
          <svg viewBox="0 0 24 24" fill="currentColor" aria-hidden="true" className="size-5 shrink-0">
            <path d={path} />
          </svg>
          {title}
        </li>
      ))}
    </ul>
  )
}
