import { Check, Minus } from 'lucide-react'
import { Fragment } from 'react'
import type { Currency } from '../../../schema/catalogue/currency.ts'
import { type BillingFrequency, maximumSeats, plans } from '../../../schema/catalogue/plans.ts'
import { usePrice } from '../../components/usePrice.ts'

interface ComparisonSectionProps {
  billing: BillingFrequency
  currency: Currency
}

/** What a plan has in a row: a text, or whether it has it at all. */
type Cell = string | boolean

interface Row {
  readonly name: string
  readonly pro: Cell
  readonly teams: Cell
}

export function ComparisonSection({ billing, currency }: ComparisonSectionProps) {
  const price = usePrice(currency)
  const { monthly, yearly } = plans.pro.price_minor
  const groups = comparison(billing === 'yearly' ? `${price(yearly)} a year` : `${price(monthly)} a month`)
  return (
    <section aria-labelledby="compare-title" className="border-t bg-surface">
      <div className="mx-auto max-w-4xl px-5 py-20 sm:px-8 sm:py-28">
        <h2 id="compare-title" className="text-center text-3xl tracking-[-0.028em] sm:text-[2.5rem]">
          Compare Plans
        </h2>
        <table className="mt-10 w-full table-fixed border-collapse text-left text-sm sm:text-[15px]">
          <caption className="sr-only">What Pro and Teams include</caption>
          <thead className="sticky top-16 z-10 bg-surface">
            <tr className="border-b">
              <td className="w-[44%] py-4 sm:w-1/2" />
              <th scope="col" className="py-4 pl-2 text-center font-semibold text-base">
                {plans.pro.name}
              </th>
              <th scope="col" className="py-4 pl-2 text-center font-semibold text-base">
                {plans.teams.name}
              </th>
            </tr>
          </thead>
          <tbody>
            {groups.map(({ title, rows }) => (
              <Fragment key={title}>
                <tr>
                  <th
                    scope="colgroup"
                    colSpan={3}
                    className="pt-9 pb-3 font-semibold text-accent-text text-sm"
                  >
                    {title}
                  </th>
                </tr>
                {rows.map((row) => (
                  <tr key={row.name} className="border-t transition-colors hover:bg-sunken">
                    <th scope="row" className="py-3.5 pr-3 font-normal text-muted">
                      {row.name}
                    </th>
                    <ComparisonCell value={row.pro} />
                    <ComparisonCell value={row.teams} />
                  </tr>
                ))}
              </Fragment>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  )
}

function ComparisonCell({ value }: { value: Cell }) {
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

const { pro, teams } = plans

/** Features come from the catalogue; the rows that are written here say amounts, which a list cannot. */
function comparison(proPrice: string): readonly { title: string; rows: readonly Row[] }[] {
  const shared = (name: string): Row => ({ name, pro: true, teams: true })
  const teamsOnly = (name: string): Row => ({ name, pro: false, teams: true })
  return [
    {
      title: 'Price and credits',
      rows: [
        { name: 'Price', pro: proPrice, teams: 'Custom' },
        { name: 'Seats', pro: '1', teams: `Up to ${maximumSeats}` },
        {
          name: 'Credits each month',
          pro: String(pro.credits_per_seat),
          teams: `${teams.credits_per_seat} per seat`,
        },
        shared('Add credits at any time'),
      ],
    },
    { title: 'Coding', rows: [...pro.benefits, ...pro.extras].map(shared) },
    {
      title: 'Organization',
      rows: [
        ...[...teams.benefits, ...teams.extras].map(teamsOnly),
        { name: 'SSO / SAML', pro: false, teams: false },
      ],
    },
  ]
}
