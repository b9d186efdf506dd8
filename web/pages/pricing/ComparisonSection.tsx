import { Check, Minus } from 'lucide-react'
import { Fragment } from 'react'
import { planItems } from '../../../schema/catalogue/plan-items.ts'
import { plans } from '../../../schema/catalogue/plans.ts'
import { useOffer, usePrice } from '../../components/usePrice.ts'

const compared = ['pro', 'teams'] as const

export function ComparisonSection() {
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
