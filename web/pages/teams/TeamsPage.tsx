import {
  ChartNoAxesCombined,
  CreditCard,
  EyeOff,
  Gauge,
  KeyRound,
  LifeBuoy,
  type LucideIcon,
  Receipt,
  ShieldCheck,
  UserCheck,
  UsersRound,
  Waves,
} from 'lucide-react'
import type { ReactNode } from 'react'
import { useWebConfig } from '../../api/catalogue.ts'
import { FaqSection } from '../../components/marketing/FaqSection.tsx'
import { SectionHeading } from '../../components/marketing/SectionHeading.tsx'
import { StartTeams } from '../../components/marketing/StartTeams.tsx'
import { TideLines } from '../../components/TideLines.tsx'
import { teamsFaq } from '../../content/faq.ts'
import { teamFeatures, teamSecurity } from '../../content/teams.ts'
import { Badge } from '../../ui/Badge.tsx'
import { LinkButton } from '../../ui/LinkButton.tsx'
import { PoolIllustration } from './PoolIllustration.tsx'

const icons: Record<(typeof teamFeatures | typeof teamSecurity)[number]['id'], LucideIcon> = {
  billing: Receipt,
  pool: Waves,
  seats: UsersRound,
  dashboard: ChartNoAxesCombined,
  roles: Gauge,
  support: LifeBuoy,
  privacy: EyeOff,
  tokens: KeyRound,
  checks: UserCheck,
  cards: CreditCard,
}

export function TeamsPage() {
  return (
    <>
      <TeamsHero />
      <section aria-labelledby="team-features-title" className="border-t bg-surface">
        <div className="mx-auto max-w-6xl px-5 py-20 sm:px-8 sm:py-28">
          <SectionHeading
            id="team-features-title"
            title="Built for the person who pays, too"
            text="Everything developers like about Pro, and what the rest of the company needs to say yes."
          />
          <CardGrid>
            {teamFeatures.map((card) => (
              <Card key={card.id} {...card} Icon={icons[card.id]} />
            ))}
          </CardGrid>
        </div>
      </section>
      <SecuritySection />
      <ContactSection />
      <FaqSection items={teamsFaq} open="several" />
    </>
  )
}

function TeamsHero() {
  return (
    <section className="relative isolate -mt-16 overflow-hidden pt-16">
      <TideLines className="absolute inset-x-0 bottom-0 -z-10 h-[22rem]" />
      <div className="mx-auto grid max-w-6xl items-center gap-12 px-5 pt-16 pb-20 sm:px-8 sm:pt-24 sm:pb-28 lg:grid-cols-[1.15fr_1fr] lg:gap-16">
        <div>
          <Badge tone="accent" size="large">
            Teams and Enterprise
          </Badge>
          <h1 className="mt-6 text-4xl sm:text-5xl">One bill, one pool of credits, a seat for everyone</h1>
          <p className="mt-6 max-w-xl text-lg text-muted leading-relaxed">
            Give the whole team the same assistant, with records your finance team can check.
          </p>
          <div className="mt-9 flex flex-col gap-3 sm:flex-row sm:flex-wrap sm:gap-2">
            <StartTeams />
            <LinkButton size="large" variant="secondary" href="/pricing">
              Explore Team Plans
            </LinkButton>
            <LinkButton size="large" variant="secondary" href="/">
              Explore Features
            </LinkButton>
          </div>
        </div>
        <PoolIllustration />
      </div>
    </section>
  )
}

function SecuritySection() {
  const { brand } = useWebConfig()
  return (
    <section aria-labelledby="team-security-title" className="border-t">
      <div className="mx-auto max-w-6xl px-5 py-20 sm:px-8 sm:py-28">
        <SectionHeading
          id="team-security-title"
          title="How we protect your code and your money"
          text="What keeps both where they belong."
        />
        <CardGrid wide>
          {teamSecurity.map((card) => (
            <Card key={card.id} {...card} Icon={icons[card.id]} />
          ))}
          {brand.security_certification && (
            <Card
              title={brand.security_certification}
              text="Audited by an independent party. Ask us for the report."
              Icon={ShieldCheck}
            />
          )}
        </CardGrid>
      </div>
    </section>
  )
}

function ContactSection() {
  const { brand } = useWebConfig()
  return (
    <section aria-labelledby="contact-title" className="border-t bg-surface">
      <div className="mx-auto flex max-w-6xl flex-col items-start justify-between gap-8 px-5 py-16 sm:px-8 sm:py-20 md:flex-row md:items-center">
        <div className="max-w-xl">
          <h2 id="contact-title" className="text-3xl">
            Talk to us about your team
          </h2>
          <p className="mt-4 text-lg text-muted leading-relaxed">
            Tell us how many seats you need and what your security review asks for.
          </p>
        </div>
        <LinkButton
          size="large"
          href={`mailto:${brand.support_email}?subject=${encodeURIComponent('Teams and Enterprise')}`}
        >
          Contact sales
        </LinkButton>
      </div>
    </section>
  )
}

function CardGrid({ wide, children }: { wide?: boolean; children: ReactNode }) {
  return <ul className={`mt-12 grid gap-4 sm:grid-cols-2 ${wide ? '' : 'lg:grid-cols-3'}`}>{children}</ul>
}

function Card({ title, text, Icon }: { title: string; text: string; Icon: LucideIcon }) {
  return (
    <li className="rounded-card border bg-canvas p-6">
      <Icon aria-hidden="true" className="size-5 text-accent-text" />
      <h3 className="mt-4 text-base">{title}</h3>
      <p className="mt-2 text-sm text-muted leading-relaxed">{text}</p>
    </li>
  )
}
