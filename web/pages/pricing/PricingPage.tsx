import { Check, Minus } from 'lucide-react'
import { Fragment } from 'react'
import { planItems } from '../../../schema/catalogue/plan-items.ts'
import { maximumSeats, plans } from '../../../schema/catalogue/plans.ts'
import { useSignedIn, useWebConfig } from '../../api/catalogue.ts'
import { CurrencySegments } from '../../components/CurrencySegments.tsx'
import { PlanOffer, StarterStrip, useTrialButton } from '../../components/marketing/PlanOffer.tsx'
import { FaqSection, SampleMark, StartTeams } from '../../components/marketing/sections.tsx'
import { TideLines } from '../../components/TideLines.tsx'
import { useOffer, usePrice } from '../../components/usePrice.ts'
import { pricingFaq } from '../../content/site/faq.ts'
import { pricingCards, pricingHero } from '../../content/site/plans.ts'
import { Badge } from '../../ui/Badge.tsx'
import { LinkButton } from '../../ui/LinkButton.tsx'
import { Segments } from '../../ui/Segments.tsx'

const { monthly, yearly } = plans.pro.price_minor
const savedPercent = Math.round(100 - (yearly / (12 * monthly)) * 100)

export function PricingPage() {
  const { pro_trial_days } = useWebConfig()
  const price = usePrice()
  return (
    <>
      <section className="relative isolate -mt-16 overflow-hidden pt-16">
        <TideLines className="absolute inset-x-0 top-72 -z-10 h-80" />
        <div className="mx-auto flex max-w-3xl flex-col items-center px-5 pt-14 text-center sm:px-8 sm:pt-20">
          <h1 className="text-4xl sm:text-5xl">{pricingHero.title}</h1>
          <p className="mt-5 max-w-xl text-balance text-lg text-muted leading-relaxed">{pricingHero.text}</p>
          <OfferSwitch />
        </div>
        <div className="mx-auto max-w-6xl px-5 pt-10 pb-20 sm:px-8 sm:pb-28">
          <h2 className="sr-only">Plans</h2>
          <PlanOffers />
          <StarterStrip />
          <SampleMark of={pricingCards} className="mt-5" />
        </div>
      </section>
      <ComparisonSection />
      <FaqSection items={pricingFaq({ price, trialDays: pro_trial_days })} open="one" />
    </>
  )
}

function OfferSwitch() {
  const { billing, currency, is_bound, choose } = useOffer()
  return (
    <div className="mt-9 flex flex-wrap items-center justify-center gap-3">
      <Segments
        label="Billing period"
        name="billing"
        value={billing}
        onChange={(billing) => choose({ billing })}
        options={[
          { value: 'monthly', label: 'Monthly' },
          {
            value: 'yearly',
            label: (
              <>
                Yearly{' '}
                <span className="rounded-full bg-positive-soft px-1.5 py-px font-medium text-positive text-xs">
                  Save {savedPercent}%
                </span>
              </>
            ),
          },
        ]}
      />
      {!is_bound && <CurrencySegments value={currency} onChange={(currency) => choose({ currency })} />}
    </div>
  )
}

const { pro, teams } = plans

function PlanOffers() {
  const { billing, currency } = useOffer()
  const { brand } = useWebConfig()
  const signedIn = useSignedIn()
  const price = usePrice()
  const trialButton = useTrialButton()
  const { monthly, yearly } = pro.price_minor
  const query = new URLSearchParams({ plan: 'pro', billing, currency })
  return (
    <div className="grid gap-5 text-left lg:grid-cols-2">
      <PlanOffer
        highlighted
        name={pro.name}
        description={pro.description}
        badge={<Badge tone="accent">Popular</Badge>}
        price={price(billing === 'yearly' ? yearly / 12 : monthly)}
        unit="/ mo per user"
        note={billing === 'yearly' ? `${price(yearly)} once a year` : 'Billed every month'}
        features={pricingCards.pro.features}
        action={
          <LinkButton size="large" href={`${signedIn ? '/auth/post-signup' : '/sign-up'}?${query}`}>
            {trialButton}
          </LinkButton>
        }
      />
      <PlanOffer
        name={teams.name}
        description={teams.description}
        price="Custom"
        unit={`${price(teams.price_minor[billing] / (billing === 'yearly' ? 12 : 1))} per seat / mo`}
        note={`One subscription for up to ${maximumSeats} seats, billed every ${billing === 'yearly' ? 'year' : 'month'}`}
        features={pricingCards.teams.features}
        action={
          <div className="grid gap-2.5 sm:grid-cols-2">
            <StartTeams choice={{ billing, currency }} />
            <LinkButton
              size="large"
              variant="secondary"
              href={`mailto:${brand.support_email}?subject=${encodeURIComponent('Teams plan')}`}
            >
              Contact sales
            </LinkButton>
          </div>
        }
      />
    </div>
  )
}

const compared = ['pro', 'teams'] as const

function ComparisonSection() {
  const { billing } = useOffer()
  const price = usePrice()
  const { pro, teams } = plans
  const period = billing === 'yearly' ? 'a year' : 'a month'
  const prices = {
    pro: `${price(pro.price_minor[billing])} ${period}`,
    teams: `Custom: ${price(teams.price_minor[billing])} a seat ${period}`,
  }
  return (
    <section aria-labelledby="compare-title" className="border-t bg-surface">
      <div className="mx-auto max-w-4xl px-5 py-20 sm:px-8 sm:py-28">
        <h2 id="compare-title" className="text-center text-3xl sm:text-4xl">
          Compare Plans
        </h2>
        <table className="mt-10 w-full table-fixed border-collapse text-left text-sm">
          <caption className="sr-only">What Pro and Teams include</caption>
          <thead className="sticky top-16 z-10 bg-surface">
            <tr className="border-b">
              <td className="w-[34%] py-4 sm:w-[46%]" />
              {compared.map((plan) => (
                <th key={plan} scope="col" className="py-4 pl-2 text-center font-semibold sm:text-base">
                  {plans[plan].name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            <Row name="Price" {...prices} />
            {planItems.map(({ title, items }) => (
              <Fragment key={title}>
                <tr>
                  <th
                    scope="colgroup"
                    colSpan={1 + compared.length}
                    className="pt-9 pb-3 font-semibold text-accent-text text-sm"
                  >
                    {title}
                  </th>
                </tr>
                {items.map((item) => (
                  <Row key={item.name} {...item} />
                ))}
              </Fragment>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  )
}

type RowProps = { readonly name: string } & Readonly<Record<(typeof compared)[number], string | boolean>>

function Row({ name, ...included }: RowProps) {
  return (
    <tr className="border-t transition-colors hover:bg-sunken">
      <th scope="row" className="py-3.5 pr-2 font-normal text-muted">
        {name}
      </th>
      {compared.map((plan) => (
        <Cell key={plan} value={included[plan]} />
      ))}
    </tr>
  )
}

function Cell({ value }: { value: string | boolean }) {
  if (typeof value === 'string') return <td className="py-3.5 pl-2 text-center tabular-nums">{value}</td>
  return (
    <td className="py-3.5 pl-2">
      {value ? (
        <Check aria-hidden="true" className="mx-auto size-4.5 text-accent-text" />
      ) : (
        <Minus aria-hidden="true" className="mx-auto size-4.5 text-line-strong" />
      )}
      <span className="sr-only">{value ? 'Included' : 'Not included'}</span>
    </td>
  )
}
