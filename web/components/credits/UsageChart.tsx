import { Bar, BarChart, CartesianGrid, ResponsiveContainer, Tooltip, XAxis, YAxis } from 'recharts'
import type { UsageSummary } from '../../../schema/api/credits.ts'
import { formatCredits, formatDay } from '../../components/format.ts'
import { readerLocales } from '../../reader.ts'

type Days = UsageSummary['days']

const shortDay = new Intl.DateTimeFormat(readerLocales, { month: 'short', day: 'numeric' })
const compact = new Intl.NumberFormat(readerLocales, {
  notation: 'compact',
  maximumSignificantDigits: 3,
})
const tick = { fill: 'var(--tide-faint)', fontSize: 12 }

/** Opaque, so that the lines of the grid do not show through the bars. */
const grantedColor = 'color-mix(in oklab, var(--tide-positive) 55%, var(--tide-surface))'

/**
 * Usage and grants below each other, each on a scale of its own: a month's grant would flatten the usage of
 * its days. Decorative: the page also states the figures as text.
 */
export function UsageChart({ days }: { days: Days }) {
  const isUsed = days.some(({ used }) => used > 0)
  return (
    <div className="space-y-3">
      <Bars days={days} of="used" label="Credits used" color="var(--tide-accent)" height={190} />
      <Bars
        days={days}
        of="granted"
        label="Credits granted"
        color={grantedColor}
        height={isUsed ? 110 : 190}
      />
    </div>
  )
}

/** Zero, and one or two whole numbers up to the first round one that no day exceeds. */
export function ticksOf(most: number): number[] {
  const intervals = Math.min(2, most)
  const power = 10 ** Math.floor(Math.log10(most / intervals))
  const step = [1, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10]
    .map((round) => round * power)
    .find((round) => Number.isInteger(round) && round * intervals >= most)
  return Array.from({ length: intervals + 1 }, (_, index) => index * (step ?? most))
}

interface BarsProps {
  days: Days
  of: 'used' | 'granted'
  label: string
  color: string
  height: number
}

/** Nothing without a bar: axes around nothing say nothing. */
function Bars({ days, of, label, color, height }: BarsProps) {
  const most = Math.max(...days.map((day) => day[of]))
  if (most === 0) return null
  const ticks = ticksOf(most)
  return (
    <div style={{ height }} className="flex flex-col">
      <p className="mb-1 flex items-center gap-2 text-muted text-xs">
        <span className="size-2.5 rounded-sm" style={{ background: color }} />
        {label}
      </p>
      <ResponsiveContainer width="100%" height="100%">
        <BarChart
          data={[...days]}
          syncId="usage-days"
          margin={{ top: 4, right: 0, bottom: 0, left: 0 }}
          barCategoryGap="18%"
          accessibilityLayer={false}
        >
          <CartesianGrid vertical={false} stroke="var(--tide-line)" />
          <XAxis
            dataKey="date"
            tickFormatter={(date: string) => shortDay.format(localDay(date))}
            tick={tick}
            tickLine={false}
            axisLine={{ stroke: 'var(--tide-line-strong)' }}
            minTickGap={28}
            // Keeps each label below its day; by default the last one moves to where it has room.
            interval="equidistantPreserveStart"
          />
          <YAxis
            width={40}
            domain={[0, ticks.at(-1) ?? most]}
            ticks={ticks}
            tickFormatter={(credits: number) => compact.format(credits)}
            tick={tick}
            tickLine={false}
            axisLine={false}
          />
          <Tooltip content={DayTooltip} cursor={{ fill: 'var(--tide-hover)' }} isAnimationActive={false} />
          <Bar dataKey={of} fill={color} radius={[2, 2, 0, 0]} maxBarSize={40} isAnimationActive={false} />
        </BarChart>
      </ResponsiveContainer>
    </div>
  )
}

function DayTooltip({
  active,
  payload,
}: {
  active?: boolean
  payload?: readonly { payload?: Days[number] }[]
}) {
  const day = payload?.[0]?.payload
  if (!active || !day) return null
  return (
    <div className="rounded-control border bg-surface px-3 py-2 text-xs tabular-nums shadow-card">
      <p className="font-medium">{formatDay(localDay(day.date).toISOString())}</p>
      <p className="mt-1 text-muted">{formatCredits(day.used)} used</p>
      <p className="text-muted">{formatCredits(day.granted)} granted</p>
    </div>
  )
}

/** Midnight where the reader is, since the days are the reader's. */
function localDay(date: string): Date {
  return new Date(`${date}T00:00:00`)
}
