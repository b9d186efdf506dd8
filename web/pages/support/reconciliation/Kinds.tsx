import { Link } from 'react-router-dom'
import type { FindingKind, FindingsList } from '../../../../schema/api/reconciliation.ts'
import type { FindingsFilter } from '../../../api/reconciliation.ts'
import { formatCredits, formatMoney } from '../../../components/format.ts'
import { Card } from '../../../ui/Card.tsx'
import { findingNames } from './findings.ts'

/** The number of findings of each kind; each is a filter. */
export function Kinds({ counts, filter }: { counts: FindingsList['counts']; filter: FindingsFilter }) {
  const total = counts.reduce((sum, { count }) => sum + count, 0)
  return (
    <Card aria-label="Kinds of differences" className="p-1.5">
      <nav aria-label="Kinds of differences" className="flex flex-col gap-px text-sm">
        <KindLink
          query=""
          name="All open"
          count={total}
          stake={null}
          isActive={filter.state === 'open' && !filter.kind}
        />
        {counts.map(({ kind, count, ...stake }) => (
          <KindLink
            key={kind}
            query={`?kind=${kind}`}
            name={findingNames[kind]}
            count={count}
            stake={stakeOf(stake)}
            isActive={filter.state === 'open' && filter.kind === kind}
          />
        ))}
        <KindLink
          query="?state=gone"
          name="Repaired"
          count={null}
          stake={null}
          isActive={filter.state === 'gone'}
        />
      </nav>
    </Card>
  )
}

interface KindLinkProps {
  query: string
  name: string
  count: number | null
  stake: string | null
  isActive: boolean
}

function KindLink({ query, name, count, stake, isActive }: KindLinkProps) {
  return (
    <Link
      to={`/support/reconciliation${query}`}
      aria-current={isActive || undefined}
      className="grid grid-cols-[minmax(0,1fr)_auto] gap-x-3 rounded-md px-2.5 py-1.5 font-medium text-muted hover:bg-hover hover:text-ink aria-[current=true]:bg-hover aria-[current=true]:text-ink"
    >
      {name}
      <span className="tabular-nums">{count !== null && formatCredits(count)}</span>
      {stake && <span className="col-span-2 font-normal text-muted text-xs">{stake}</span>}
    </Link>
  )
}

type Counted = FindingsList['counts'][number] & { kind: FindingKind }

function stakeOf({
  money,
  credits_missing,
  credits_too_many,
}: Omit<Counted, 'kind' | 'count'>): string | null {
  const parts = [
    ...money.map(({ amount_minor, currency }) => formatMoney(amount_minor, currency)),
    ...(credits_missing > 0 ? [`${formatCredits(credits_missing)} missing`] : []),
    ...(credits_too_many > 0 ? [`${formatCredits(credits_too_many)} too many`] : []),
  ]
  return parts.join(' · ') || null
}
