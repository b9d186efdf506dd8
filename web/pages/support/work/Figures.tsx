import { useInfiniteQuery } from '@tanstack/react-query'
import { clsx } from 'clsx'
import { Link } from 'react-router-dom'
import type { WorkList, WorkState } from '../../../../schema/api/support.ts'
import { useApi } from '../../../api/ApiProvider.tsx'
import { findingsQuery } from '../../../api/reconciliation.ts'
import { formatCredits } from '../../../components/format.ts'
import { traceAddress } from '../../../components/support/addresses.ts'
import { ageText, provenText } from '../../../components/support/labels.ts'

/** The amount of work at a glance; each figure links to its list. */
export function Figures({ work }: { work: WorkList | undefined }) {
  const findings = useInfiniteQuery(findingsQuery(useApi(), { state: 'open' })).data?.pages[0]
  const open = findings?.counts.reduce((sum, { count }) => sum + count, 0)
  const oldest = work?.oldest_unapplied_event
  return (
    <dl className="mb-5 grid grid-cols-2 gap-px overflow-clip rounded-card border bg-line shadow-low lg:grid-cols-4">
      <Figure
        label="Failed"
        to="/support?state=failed"
        value={countOf(work, 'failed')}
        isBad={work?.counts.some(({ state, count }) => state === 'failed' && count > 0) ?? false}
        note="Given up; nothing tries them again"
      />
      <Figure
        label="Stuck"
        to="/support?state=stuck"
        value={countOf(work, 'stuck')}
        isBad={false}
        note="Still tried, for too long"
      />
      <Figure
        label="Oldest unapplied event"
        to={oldest ? traceAddress({ kind: 'event', id: oldest.id }) : null}
        value={work ? (oldest ? ageText(oldest.received_at, work.as_of) : 'None') : undefined}
        isBad={false}
        note={oldest ? oldest.type : 'No event waits to be applied'}
      />
      <Figure
        label="Differences"
        to="/support/reconciliation"
        value={open === undefined ? undefined : formatCredits(open)}
        isBad={(open ?? 0) > 0}
        note={findings ? provenText(findings.proven_day) : ''}
      />
    </dl>
  )
}

interface FigureProps {
  label: string
  to: string | null
  /** Undefined until it is known. */
  value: string | undefined
  isBad: boolean
  note: string
}

function Figure({ label, to, value, isBad, note }: FigureProps) {
  const isCritical = isBad && value !== undefined
  return (
    <div className="relative min-w-0 bg-surface px-4 py-3 has-[a:hover]:bg-sunken">
      <dt className="truncate text-muted text-xs">
        {to ? (
          <Link to={to} className="after:absolute after:inset-0">
            {label}
          </Link>
        ) : (
          label
        )}
      </dt>
      <dd
        className={clsx(
          'mt-0.5 font-semibold text-xl tabular-nums tracking-tight',
          isCritical && 'text-critical',
        )}
      >
        {value ?? '–'}
      </dd>
      <dd className="text-faint text-xs [overflow-wrap:anywhere]">{note}</dd>
    </div>
  )
}

function countOf(work: WorkList | undefined, wanted: WorkState): string | undefined {
  if (!work) return undefined
  const counts = work.counts.filter(({ state }) => state === wanted)
  const sum = counts.reduce((total, { count }) => total + count, 0)
  return `${formatCredits(sum)}${counts.some(({ capped }) => capped) ? '+' : ''}`
}
