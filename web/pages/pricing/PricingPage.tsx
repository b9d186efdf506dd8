import { Check, Minus } from 'lucide-react'
import { Fragment } from 'react'
import { planItems } from '../../../schema/catalogue/plan-items.ts'
import type { BillingFrequency, Plan } from '../../../schema/catalogue/plans.ts'
import { personalPlan, type SoldPlan, soldPlans, teamPlan } from '../../../schema/catalogue/sold-plans.ts'
import { useSignedIn, useWebConfig } from '../../api/catalogue.ts'
import { CurrencySegments } from '../../components/CurrencySegments.tsx'
import { buyText, PlanOffer, StarterStrip, TeamActions } from '../../components/marketing/PlanOffer.tsx'
import { FaqSection, SampleMark } from '../../components/marketing/sections.tsx'
import { TideLines } from '../../components/TideLines.tsx'
import { useOffer, usePrice } from '../../components/usePrice.ts'
import { pricingFaq } from '../../content/site/faq.ts'
import { cardFeatures, pricingCards, pricingHero } from '../../content/site/plans.ts'
import { LinkButton } from '../../ui/LinkButton.tsx'
import { Segments } from '../../ui/Segments.tsx'

const { monthly, yearly } = personalPlan.price_minor
const savedPercent = Math.round(100 - (yearly / (12 * monthly)) * 100)

export function PricingPage() {
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
      <FaqSection items={pricingFaq(price)} open="one" />
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

function PlanOffers() {
  const { billing } = useOffer()
  return (
    <div className="grid gap-5 text-left lg:grid-cols-2">
      {soldPlans.map((plan) =>
        plan.per_seat ? (
          <TeamOffer key={plan.plan_type} plan={plan} billing={billing} />
        ) : (
          <PersonalOffer key={plan.plan_type} plan={plan} billing={billing} />
        ),
      )}
    </div>
  )
}

interface OfferProps {
  plan: SoldPlan
  billing: BillingFrequency
}

function PersonalOffer({ plan, billing }: OfferProps) {
  const { currency } = useOffer()
  const signedIn = useSignedIn()
  const price = usePrice()
  const { monthly, yearly } = plan.price_minor
  const query = new URLSearchParams({ plan: plan.plan_type, billing, currency })
  return (
    <PlanOffer
      plan={plan}
      price={price(billing === 'yearly' ? yearly / 12 : monthly)}
      unit="/ mo per user"
      note={billing === 'yearly' ? `${price(yearly)} once a year` : 'Billed every month'}
      features={cardFeatures(pricingCards, plan)}
      action={
        <LinkButton size="large" href={`${signedIn ? '/auth/post-signup' : '/sign-up'}?${query}`}>
          {buyText(plan)}
        </LinkButton>
      }
    />
  )
}

function TeamOffer({ plan, billing }: OfferProps) {
  const { maximum_seats } = useWebConfig()
  const { currency } = useOffer()
  const price = usePrice()
  const isYearly = billing === 'yearly'
  return (
    <PlanOffer
      plan={plan}
      price="Custom"
      unit={`${price(plan.price_minor[billing] / (isYearly ? 12 : 1))} per seat / mo`}
      note={`One subscription for up to ${maximum_seats} seats, billed every ${isYearly ? 'year' : 'month'}`}
      features={[...cardFeatures(pricingCards, plan), `Up to ${maximum_seats} seats`]}
      action={
        <TeamActions
          choice={{ ...(plan !== teamPlan && { plan: plan.plan_type }), billing, currency }}
          contact="Contact sales"
          subject={`${plan.name} plan`}
        />
      }
    />
  )
}

const names = new Intl.ListFormat('en').format(soldPlans.map(({ name }) => name))

function ComparisonSection() {
  const { maximum_seats } = useWebConfig()
  const { billing } = useOffer()
  const price = usePrice()
  const period = billing === 'yearly' ? 'a year' : 'a month'
  const priceOf = (plan: Plan) => {
    const each = price(plan.price_minor?.[billing] ?? 0)
    return plan.per_seat ? `Custom: ${each} a seat ${period}` : `${each} ${period}`
  }
  return (
    <section aria-labelledby="compare-title" className="border-t bg-surface">
      <div className="mx-auto max-w-4xl px-5 py-20 sm:px-8 sm:py-28">
        <h2 id="compare-title" className="text-center text-3xl sm:text-4xl">
          Compare Plans
        </h2>
        <table className="mt-10 w-full table-fixed border-collapse text-left text-sm">
          <caption className="sr-only">{`What ${names} include`}</caption>
          <thead className="sticky top-16 z-10 bg-surface">
            <tr className="border-b">
              <td className="w-[34%] py-4 sm:w-[46%]" />
              {soldPlans.map(({ plan_type, name }) => (
                <th key={plan_type} scope="col" className="py-4 pl-2 text-center font-semibold sm:text-base">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            <Row name="Price" included={priceOf} />
            {planItems.map(({ title, items }) => (
              <Fragment key={title}>
                <tr>
                  <th
                    scope="colgroup"
                    colSpan={1 + soldPlans.length}
                    className="pt-9 pb-3 font-semibold text-accent-text text-sm"
                  >
                    {title}
                  </th>
                </tr>
                {items.map((item) => (
                  <Row
                    key={item.name}
                    name={item.name}
                    included={(plan) => item.included(plan, maximum_seats)}
                  />
                ))}
              </Fragment>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  )
}

function Row({ name, included }: { name: string; included: (plan: Plan) => string | boolean }) {
  return (
    <tr className="border-t transition-colors hover:bg-sunken">
      <th scope="row" className="py-3.5 pr-2 font-normal text-muted">
        {name}
      </th>
      {soldPlans.map((plan) => (
        <Cell key={plan.plan_type} value={included(plan)} />
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
