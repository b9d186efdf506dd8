import { Check, Clock, TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import { Link } from 'react-router-dom'
import type { StatementDay } from '../../../../schema/api/reconciliation.ts'
import { formatCredits, formatDate, formatMoney } from '../../../components/format.ts'
import { Card } from '../../../ui/Card.tsx'
import { cn } from '../../../ui/cn.ts'
import { Cell, Table } from '../../../ui/Table.tsx'
import { currenciesOf, sumsOf } from './statement.ts'

/** A column's name and what its head says; the last one is the difference, which ought to be zero. */
type Columns<Name extends string> = readonly (readonly [Name, string])[]

const moneyColumns = [
  ['gross_minor', 'Came in'],
  ['refunded_minor', 'Refunded'],
  ['disputed_minor', 'Disputed'],
  ['net_minor', 'Net'],
  ['credits_sold_minor', 'Credits sold'],
  ['plans_paid_minor', 'Plans'],
  ['foreign_minor', 'Not ours'],
  ['difference_minor', 'Difference'],
] as const satisfies Columns<keyof NonNullable<StatementDay['money']>[number]>

const creditColumns = [
  ['sold', 'Sold'],
  ['granted', 'Granted'],
  ['used', 'Used'],
  ['expired', 'Expired'],
  ['refunded', 'Refunded'],
  ['disputed', 'Disputed'],
  ['written_off', 'Written off'],
  ['adjusted', 'Adjusted'],
  ['change_plan', 'Plan ±'],
  ['change_purchased', 'Purchased ±'],
  ['uncollected', 'Uncollected'],
  ['difference', 'Difference'],
] as const satisfies Columns<keyof StatementDay['credits']>

/** A table for each currency. */
export function MoneyTables({ days }: { days: readonly StatementDay[] }) {
  const currencies = currenciesOf(days)
  return currencies.length === 0 ? (
    <Card className="px-4 py-6 text-center text-muted text-sm">No money came in this month.</Card>
  ) : (
    currencies.map((currency) => (
      <StatementTable
        key={currency}
        title={`Money, ${currency}`}
        columns={moneyColumns}
        days={days}
        rowOf={({ money }) => money?.find((row) => row.currency === currency) ?? null}
        format={(amount) => formatMoney(amount, currency)}
        differs={({ difference_minor }) => difference_minor !== 0}
      />
    ))
  )
}

export function CreditsTable({ days }: { days: readonly StatementDay[] }) {
  return (
    <StatementTable
      title="Credits"
      columns={creditColumns}
      days={days}
      rowOf={({ credits }) => credits}
      format={formatCredits}
      differs={({ difference }) => difference !== 0}
    />
  )
}

interface StatementTableProps<Name extends string> {
  title: string
  columns: Columns<Name>
  days: readonly StatementDay[]
  /** Null where the day has none. */
  rowOf: (day: StatementDay) => Readonly<Record<Name, number>> | null
  format: (amount: number) => string
  differs: (row: Readonly<Record<Name, number>>) => boolean
}

function StatementTable<Name extends string>(props: StatementTableProps<Name>) {
  const { title, columns, days, rowOf, format, differs } = props
  const names = columns.map(([name]) => name)
  const sums = sumsOf(
    days.flatMap((day) => rowOf(day) ?? []),
    names,
  )
  return (
    <Card className="overflow-clip">
      <h2 className="px-4 pt-3 pb-2 font-semibold text-sm">{title}</h2>
      <Table
        size="dense"
        caption={`${title}, day by day`}
        columns={[
          { name: 'Day', namesRow: true },
          ...columns.map(([name, head]) => ({ name, head, align: 'right' as const })),
        ]}
        className="border-t"
      >
        <tbody className="divide-y divide-line">
          {days.map((day) => {
            const row = rowOf(day)
            return row ? (
              <Line
                key={day.date}
                head={
                  <span className="flex items-center gap-1.5">
                    <DayMark day={day} />
                    <Link
                      to={`/support/statement?day=${day.date}`}
                      className="rounded-sm text-accent-text hover:underline"
                    >
                      {formatDate(day.date)}
                    </Link>
                  </span>
                }
                row={row}
                names={names}
                format={format}
                isWrong={differs(row)}
              />
            ) : null
          })}
        </tbody>
        <tfoot className="border-t">
          <Line head="Together" row={sums} names={names} format={format} isWrong={differs(sums)} isFoot />
        </tfoot>
      </Table>
    </Card>
  )
}

interface LineProps<Name extends string> {
  head: ReactNode
  row: Readonly<Record<Name, number>>
  names: readonly Name[]
  format: (amount: number) => string
  isWrong: boolean
  isFoot?: boolean
}

function Line<Name extends string>({ head, row, names, format, isWrong, isFoot = false }: LineProps<Name>) {
  return (
    <tr className={isWrong ? 'bg-critical-soft' : undefined}>
      <Cell of="Day" className={cn('whitespace-nowrap', isFoot && 'font-semibold')}>
        {head}
      </Cell>
      {names.map((name) => (
        <Cell
          key={name}
          of={name}
          className={cn(
            'whitespace-nowrap',
            isFoot && 'font-semibold',
            name === names.at(-1) && isWrong
              ? 'font-semibold text-critical'
              : row[name] === 0 && 'text-faint',
          )}
        >
          {format(row[name])}
        </Cell>
      ))}
    </tr>
  )
}

function DayMark({ day: { state, agrees } }: { day: StatementDay }) {
  const [Icon, tone, text] =
    agrees === false
      ? [TriangleAlert, 'text-critical', 'Does not balance']
      : state === 'open'
        ? [Clock, 'text-faint', 'Not closed yet']
        : [Check, 'text-positive', 'Closed, balances']
  return (
    <span title={text}>
      <Icon aria-hidden="true" className={cn('size-3.5', tone)} />
      <span className="sr-only">{text}</span>
    </span>
  )
}
