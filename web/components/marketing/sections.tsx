import { type ReactNode, useState } from 'react'
import { planOf, teamPlan } from '../../../schema/catalogue/sold-plans.ts'
import { useSignedIn, useWebConfig } from '../../api/catalogue.ts'
import { type Claim, samplesIn } from '../../content/site/sample.ts'
import { Badge } from '../../ui/Badge.tsx'
import { Disclosure } from '../../ui/Disclosure.tsx'
import { LinkButton } from '../../ui/LinkButton.tsx'

export function SectionHeading({ id, title, text }: { id: string; title: string; text: string }) {
  return (
    <div className="max-w-2xl">
      <h2 id={id} className="text-3xl sm:text-4xl">
        {title}
      </h2>
      <p className="mt-4 text-lg text-muted leading-relaxed">{text}</p>
    </div>
  )
}

/** The one mark of a page that shows content which is not the operator's yet. */
export function SampleMark({ of, className }: { of: unknown; className?: string }) {
  if (samplesIn(of).length === 0) return null
  return (
    <p className={className}>
      <Badge>Sample content</Badge>
    </p>
  )
}

/** Who says so, and when, where it is given. */
export function SourceOf({ claim: { source, as_of } }: { claim: Claim }) {
  const parts = [source, as_of && `as of ${as_of}`].filter(Boolean)
  return parts.length > 0 && <span className="block text-faint text-xs">{parts.join(', ')}</span>
}

export function isClaimed(claim: Claim | null): claim is Claim {
  return claim !== null
}

interface FixedProps {
  id: string
  /** Left out in the browser, where the server has already rendered it. */
  children: ReactNode
}

/**
 * A part of a page that only the server renders, since nothing in it ever changes. The browser keeps the HTML
 * that it finds, and its script has no code for it: callers pass `import.meta.env.SSR && <Part />`, or also
 * `import.meta.env.DEV` for the development server, which renders nothing.
 */
export function Fixed({ id, children }: FixedProps) {
  const [rendered] = useState(() =>
    typeof document === 'undefined' ? undefined : document.getElementById(id)?.innerHTML,
  )
  if (rendered === undefined) return <div id={id}>{children}</div>
  // biome-ignore lint/security/noDangerouslySetInnerHtml: it is this element's own content.
  return <div id={id} dangerouslySetInnerHTML={{ __html: rendered }} />
}

/** Leads to the order of a plan for an organization, by way of signing up. `choice`: plan, period and currency. */
export function StartTeams({ choice = {} }: { choice?: Readonly<Record<string, string>> | undefined }) {
  const query = new URLSearchParams(choice).toString()
  const start = query ? `/teams/start?${query}` : '/teams/start'
  const { currency } = choice
  const signUp = new URLSearchParams({ ...(currency && { currency }), redirect_url: start })
  const href = useSignedIn() ? start : `/sign-up?${signUp}`
  return (
    <LinkButton size="large" href={href}>
      {`Start with ${planOf(choice.plan ?? teamPlan.plan_type).name}`}
    </LinkButton>
  )
}

interface FaqSectionProps {
  items: readonly { question: string; answer: string }[]
  open: 'one' | 'several'
}

export function FaqSection({ items, open }: FaqSectionProps) {
  const { brand } = useWebConfig()
  if (items.length === 0) return null
  return (
    <section id="faq" aria-labelledby="faq-title" className="border-t">
      <div className="mx-auto grid max-w-6xl gap-10 px-5 py-20 sm:px-8 sm:py-28 lg:grid-cols-[1fr_1.7fr]">
        <div>
          <h2 id="faq-title" className="text-3xl">
            Frequently asked questions
          </h2>
          <p className="mt-4 text-muted">
            Have another question?{' '}
            <a
              href={`mailto:${brand.support_email}`}
              className="text-accent-text underline underline-offset-4"
            >
              Email us
            </a>
            .
          </p>
        </div>
        <div className="divide-y divide-line border-line border-y">
          {items.map(({ question, answer }) => (
            <Disclosure
              key={question}
              title={<h3 className="font-[inherit] tracking-normal">{question}</h3>}
              name={open === 'one' ? 'faq' : undefined}
              className="gap-6 py-4 text-base hover:text-accent-text"
            >
              <p className="max-w-prose pr-10 pb-5 text-base text-muted leading-relaxed">{answer}</p>
            </Disclosure>
          ))}
        </div>
      </div>
    </section>
  )
}
