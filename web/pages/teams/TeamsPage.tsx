import {
  ChartNoAxesCombined,
  CreditCard,
  DatabaseZap,
  EyeOff,
  FileX,
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
import { teamPlan } from '../../../schema/catalogue/sold-plans.ts'
import { useWebConfig } from '../../api/catalogue.ts'
import {
  FaqSection,
  SampleMark,
  SectionHeading,
  SourceOf,
  StartTeams,
} from '../../components/marketing/sections.tsx'
import { TideLines } from '../../components/TideLines.tsx'
import { claims } from '../../content/site/claims.ts'
import { teamsFaq } from '../../content/site/faq.ts'
import { quotes, teamFeatures, teamSections, teamSecurity, teamsHero } from '../../content/site/teams.ts'
import { Badge } from '../../ui/Badge.tsx'
import { LinkButton } from '../../ui/LinkButton.tsx'

const icons: Readonly<Record<string, LucideIcon>> = {
  billing: Receipt,
  pool: Waves,
  seats: UsersRound,
  dashboard: ChartNoAxesCombined,
  roles: Gauge,
  support: LifeBuoy,
  privacy: FileX,
  tokens: KeyRound,
  checks: UserCheck,
  cards: CreditCard,
}

export function TeamsPage() {
  const seats = String(useWebConfig().maximum_seats)
  const questions = teamsFaq.map((one) => ({ ...one, answer: one.answer.replace('{seats}', seats) }))
  return (
    <>
      <TeamsHero />
      <Section id="team-features-title" {...teamSections.features} cards={teamFeatures} />
      <Section
        id="team-security-title"
        {...teamSections.security}
        cards={[...teamSecurity, ...security()]}
        wide
      />
      <QuotesSection />
      <ContactSection />
      <FaqSection items={questions} open="several" />
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
            {teamsHero.badge}
          </Badge>
          <h1 className="mt-6 text-4xl sm:text-5xl">{teamsHero.title}</h1>
          <p className="mt-6 max-w-xl text-lg text-muted leading-relaxed">{teamsHero.text}</p>
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

/** What the operator claims, as cards like those of what the product does. */
function security() {
  const claimed = { privacy_mode: EyeOff, zero_retention: DatabaseZap, certification: ShieldCheck } as const
  return (Object.keys(claimed) as (keyof typeof claimed)[]).flatMap((id) => {
    const claim = claims[id]
    return claim
      ? [{ id, Icon: claimed[id], title: claim.value, text: claim.label, more: <SourceOf claim={claim} /> }]
      : []
  })
}

function QuotesSection() {
  const { title, text } = teamSections.quotes
  return (
    <>
      {quotes.length > 0 && (
        <section aria-labelledby="quotes-title" className="border-t bg-surface">
          <div className="mx-auto max-w-6xl px-5 py-20 sm:px-8 sm:py-28">
            <SectionHeading id="quotes-title" title={title} text={text} />
            <ul className="mt-12 grid gap-4 lg:grid-cols-3">
              {quotes.map(({ text, name, role }) => (
                <li key={name} className="rounded-card border bg-canvas p-6">
                  <figure className="flex h-full flex-col justify-between gap-6">
                    <blockquote className="text-lg leading-relaxed">“{text}”</blockquote>
                    <figcaption className="text-sm">
                      <span className="block font-medium">{name}</span>
                      <span className="text-muted">{role}</span>
                    </figcaption>
                  </figure>
                </li>
              ))}
            </ul>
          </div>
        </section>
      )}
      <SampleMark
        of={[quotes, claims.privacy_mode, claims.zero_retention, claims.certification]}
        className="bg-surface pb-10 text-center"
      />
    </>
  )
}

function ContactSection() {
  const { brand } = useWebConfig()
  return (
    <section aria-labelledby="contact-title" className="border-t bg-surface">
      <div className="mx-auto flex max-w-6xl flex-col items-start justify-between gap-8 px-5 py-16 sm:px-8 sm:py-20 md:flex-row md:items-center">
        <div className="max-w-xl">
          <h2 id="contact-title" className="text-3xl">
            {teamSections.contact.title}
          </h2>
          <p className="mt-4 text-lg text-muted leading-relaxed">{teamSections.contact.text}</p>
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

interface SectionProps {
  id: string
  title: string
  text: string
  cards: readonly { id: string; title: string; text: string; Icon?: LucideIcon; more?: ReactNode }[]
  wide?: boolean
}

function Section({ id, title, text, cards, wide }: SectionProps) {
  if (cards.length === 0) return null
  return (
    <section aria-labelledby={id} className={`border-t ${wide ? '' : 'bg-surface'}`}>
      <div className="mx-auto max-w-6xl px-5 py-20 sm:px-8 sm:py-28">
        <SectionHeading id={id} title={title} text={text} />
        <ul className={`mt-12 grid gap-4 sm:grid-cols-2 ${wide ? '' : 'lg:grid-cols-3'}`}>
          {cards.map(({ id, title, text, Icon = icons[id], more }) => (
            <li
              key={id}
              className={`rounded-card border bg-canvas p-6 ${wide ? 'sm:last:odd:col-span-2' : ''}`}
            >
              {Icon && <Icon aria-hidden="true" className="size-5 text-accent-text" />}
              <h3 className="mt-4 text-base">{title}</h3>
              <p className="mt-2 text-sm text-muted leading-relaxed">{text}</p>
              {more}
            </li>
          ))}
        </ul>
      </div>
    </section>
  )
}

const people = [
  { name: 'Ada', initials: 'AL', used: 412 },
  { name: 'Grace', initials: 'GH', used: 286 },
  { name: 'Linus', initials: 'LT', used: 731 },
  { name: 'Margaret', initials: 'MH', used: 95 },
]
const seats = 5
const pool = seats * teamPlan.credits_per_seat
const used = people.reduce((sum, person) => sum + person.used, 0)

/** A drawn organization: its pool, who used how much of it, and a seat that is still free. */
function PoolIllustration() {
  return (
    <div
      role="img"
      aria-label={`An organization with ${people.length} of ${seats} seats in use and ${pool - used} of ${pool} credits left this month`}
      className="rounded-2xl border bg-surface p-6 shadow-float sm:p-7"
    >
      <div className="flex items-baseline justify-between gap-4">
        <p className="text-muted text-sm">Credits left this month</p>
        <p className="text-faint text-sm tabular-nums">
          {people.length} of {seats} seats
        </p>
      </div>
      <p className="mt-1 font-semibold text-3xl tabular-nums">
        {pool - used}
        <span className="ml-2 font-normal text-base text-faint tracking-normal">of {pool}</span>
      </p>
      <div className="mt-5 flex h-2.5 gap-0.5 overflow-hidden rounded-full bg-sunken">
        {people.map(({ name, used }, index) => (
          <span
            key={name}
            className="bg-accent"
            style={{ width: `${(used / pool) * 100}%`, opacity: 1 - index * 0.2 }}
          />
        ))}
      </div>
      <ul className="mt-6 divide-y divide-line border-t">
        {people.map(({ name, initials, used }) => (
          <li key={name} className="flex items-center gap-3 py-3 text-sm">
            <span className="grid size-8 place-items-center rounded-full bg-accent-soft font-semibold text-accent-text text-xs">
              {initials}
            </span>
            <span className="font-medium">{name}</span>
            <span className="ml-auto text-muted tabular-nums">−{used}</span>
          </li>
        ))}
        <li className="flex items-center gap-3 pt-3 text-sm">
          <span className="size-8 rounded-full border border-line-strong border-dashed" />
          <span className="text-muted">A free seat</span>
          <span className="ml-auto font-medium text-accent-text">Invite</span>
        </li>
      </ul>
    </div>
  )
}
