import {
  Blocks,
  FileStack,
  type LucideIcon,
  RefreshCw,
  Rows3,
  Search,
  ShieldCheck,
  SquareTerminal,
  TextCursorInput,
  WandSparkles,
} from 'lucide-react'
import { soldPlans, teamPlan } from '../../../schema/catalogue/sold-plans.ts'
import { useWebConfig } from '../../api/catalogue.ts'
import { buyText, PlanOffer, StarterStrip, TeamActions } from '../../components/marketing/PlanOffer.tsx'
import { SectionHeading } from '../../components/marketing/sections.tsx'
import { usePrice } from '../../components/usePrice.ts'
import { capabilities, sections } from '../../content/site/landing.ts'
import { cardFeatures, landingCards } from '../../content/site/plans.ts'
import { Carousel } from '../../ui/Carousel.tsx'
import { LinkButton } from '../../ui/LinkButton.tsx'

export function PricingSection() {
  const price = usePrice()
  const { maximum_seats } = useWebConfig()
  return (
    <section id="pricing" aria-labelledby="pricing-title" className="border-t">
      <div className="mx-auto max-w-6xl px-5 py-20 sm:px-8 sm:py-28">
        <SectionHeading id="pricing-title" {...sections.pricing} />
        <div className="mt-12 grid gap-5 lg:grid-cols-2">
          {soldPlans.map((plan) => {
            const features = cardFeatures(landingCards, plan)
            const each = price(plan.price_minor.monthly)
            return plan.per_seat ? (
              <PlanOffer
                key={plan.plan_type}
                plan={plan}
                price="Custom"
                unit={`${each} per seat / mo, up to ${maximum_seats} seats`}
                features={features}
                action={
                  <TeamActions
                    choice={plan === teamPlan ? undefined : { plan: plan.plan_type }}
                    contact="Get Custom Pricing"
                    subject={`${plan.name} pricing`}
                  />
                }
              />
            ) : (
              <PlanOffer
                key={plan.plan_type}
                plan={plan}
                price={each}
                unit="/ mo per user"
                features={features}
                action={
                  <LinkButton size="large" href="/pricing">
                    {buyText(plan)}
                  </LinkButton>
                }
              />
            )
          })}
        </div>
        <StarterStrip />
      </div>
    </section>
  )
}

const { title, text } = sections.capabilities

const icons: Readonly<Record<string, LucideIcon>> = {
  loops: RefreshCw,
  mcp: Blocks,
  modes: Rows3,
  supercomplete: WandSparkles,
  inline: TextCursorInput,
  multifile: FileStack,
  codebase: Search,
  terminal: SquareTerminal,
  security: ShieldCheck,
}

export function CapabilitiesSection() {
  if (capabilities.length === 0) return null
  return (
    <div id="capabilities" className="border-t bg-surface">
      <div className="mx-auto max-w-6xl px-5 py-20 sm:px-8 sm:py-28">
        <SectionHeading id="capabilities-title" title={title} text={text} />
        <div className="mt-10">
          <Carousel
            label={title}
            cards={capabilities.map((capability) => ({
              title: capability.title,
              content: <CapabilityCard {...capability} Icon={icons[capability.id]} />,
            }))}
          />
        </div>
      </div>
    </div>
  )
}

interface CapabilityCardProps {
  title: string
  text: string
  example: string
  Icon: LucideIcon | undefined
}

function CapabilityCard({ title, text, example, Icon }: CapabilityCardProps) {
  return (
    <article className="flex h-full select-none flex-col rounded-2xl border bg-canvas p-6 sm:p-7">
      {Icon && (
        <span className="mb-5 grid size-10 place-items-center rounded-control border border-accent-line bg-accent-soft text-accent-text">
          <Icon aria-hidden="true" className="size-5" />
        </span>
      )}
      <h3 className="text-lg">{title}</h3>
      <p className="mt-2 text-sm text-muted leading-relaxed">{text}</p>
      <p className="mt-auto pt-6">
        <code className="block truncate whitespace-pre rounded-control border bg-sunken px-3 py-2 font-mono text-xs text-muted">
          {example}
        </code>
      </p>
    </article>
  )
}
