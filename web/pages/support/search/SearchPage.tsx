import { useQuery } from '@tanstack/react-query'
import { SearchX, TextSearch } from 'lucide-react'
import { useRef } from 'react'
import { Link, Navigate, useSearchParams } from 'react-router-dom'
import type { SupportMatch, TraceItem } from '../../../../schema/api/support.ts'
import { useApi } from '../../../api/ApiProvider.tsx'
import { supportSearchQuery } from '../../../api/support.ts'
import { FailurePanel } from '../../../components/FailurePanel.tsx'
import { ListSkeleton } from '../../../components/ListSkeleton.tsx'
import { caseOfItem, traceAddress } from '../../../components/support/addresses.ts'
import { counted, levelTones, ownerTitle, sentenceCase } from '../../../components/support/labels.ts'
import { Moment } from '../../../components/support/Moment.tsx'
import { Page } from '../../../components/support/Page.tsx'
import { useRowKeys } from '../../../components/support/useKeys.ts'
import { describeItem, kindName, titleOf } from '../../../content/support/timeline.ts'
import { Badge } from '../../../ui/Badge.tsx'
import { Card } from '../../../ui/Card.tsx'
import { EmptyState } from '../../../ui/EmptyState.tsx'

/** What the one search box understands, with an example of each. */
const understood = [
  ['Email address', 'ada@example.com'],
  ['Name of a person or organization', 'Ada Lovelace'],
  ['Link of Stripe or Clerk', 'https://…/pi_…'],
  ['User or organization', 'user_…, org_…'],
  ['Stripe customer', 'cus_…'],
  ['Checkout session or intent', 'cs_…, or the intent’s UUID'],
  ['Event of Stripe or Clerk', 'evt_…, msg_…'],
  ['Subscription, invoice', 'sub_…, in_…'],
  ['Invoice number', '0A01CEON-0001'],
  ['Card’s last four, amount, day', '4242 20.00 2026-11-25'],
  ['Payment, charge', 'pi_…, ch_…'],
  ['Refund, dispute', 're_…, dp_…'],
  ['Invitation', 'orginv_…'],
  ['Transfer, grant, job', 'the id, as it stands in a log'],
] as const

export function SearchPage() {
  const [search] = useSearchParams()
  const q = search.get('q')?.trim() ?? ''
  return (
    <Page title="Search" description={q ? `For “${q}”` : 'Find a customer by email address, name or any id'}>
      <Card className="overflow-clip">{q ? <Results key={q} q={q} /> : <Understood />}</Card>
    </Page>
  )
}

/** A single thing is opened at once. */
function Results({ q }: { q: string }) {
  const found = useQuery(supportSearchQuery(useApi(), q))
  if (found.isPending) return <ListSkeleton label="Searching" />
  if (found.isLoadingError || !found.data) return <FailurePanel title="The search failed" query={found} />
  const { matches, recognized_as, as_of } = found.data
  const [only, ...others] = matches
  if (!only) return <NotFound q={q} recognizedAs={recognized_as} />
  if (others.length === 0) return <Navigate to={addressOf(only)} replace />
  return <Matches matches={matches} as_of={as_of} />
}

function Matches({ matches, as_of }: { matches: readonly SupportMatch[]; as_of: string }) {
  const list = useRef<HTMLUListElement>(null)
  useRowKeys(list)
  return (
    <>
      <p role="status" className="border-b bg-sunken px-4 py-1.5 text-faint text-xs">
        {counted(matches.length, 'match', 'matches')}
      </p>
      <ul ref={list} className="divide-y divide-line text-sm">
        {matches.map((match) => (
          <li
            key={`${match.kind}:${match.id}:${match.owner?.id}`}
            className="relative grid grid-cols-[minmax(0,1fr)_auto] gap-x-4 px-4 py-2.5 hover:bg-sunken has-[[data-row]:focus-visible]:bg-hover"
          >
            <div className="min-w-0">
              <Link
                to={addressOf(match)}
                data-row={match.id}
                className="font-medium outline-none after:absolute after:inset-0 focus-visible:after:outline-2 focus-visible:after:outline-accent focus-visible:after:-outline-offset-2"
              >
                {titleOf(match, { as_of })}
              </Link>
              <p className="mt-0.5 truncate text-faint text-xs">
                {kindName(match.kind)} · <span className="font-mono">{match.id}</span>
                {match.owner && match.owner.id !== match.id && ` · ${ownerTitle(match.owner)}`}
              </p>
            </div>
            {match.item && <ItemState item={match.item} as_of={as_of} />}
          </li>
        ))}
      </ul>
    </>
  )
}

function ItemState({ item, as_of }: { item: TraceItem; as_of: string }) {
  const { level, state } = describeItem(item, { as_of })
  return (
    <div className="text-right">
      {state && <Badge tone={levelTones[level]}>{sentenceCase(state)}</Badge>}
      <Moment at={item.at} className="mt-0.5 block text-muted text-xs" />
    </div>
  )
}

function NotFound({ q, recognizedAs }: { q: string; recognizedAs: readonly string[] }) {
  return (
    <>
      <div role="status">
        <EmptyState icon={SearchX} title={`No results for “${q}”`} className="pt-12 pb-8">
          {recognizedAs.length > 0
            ? `It was searched for as: ${recognizedAs.map(kindName).join(', ')}. Parts of ids are not found.`
            : 'The format is not recognized.'}
        </EmptyState>
      </div>
      <Kinds />
    </>
  )
}

function Understood() {
  return (
    <>
      <EmptyState icon={TextSearch} title="Search for a customer" className="pt-12 pb-8">
        <span className="hidden sm:inline">Press / and type.</span> A single match is opened at once.
      </EmptyState>
      <Kinds />
    </>
  )
}

function Kinds() {
  return (
    <section aria-labelledby="kinds-title" className="border-t px-4 py-4 sm:px-6">
      <h2 id="kinds-title" className="font-medium text-sm">
        Supported searches
      </h2>
      <dl className="mt-2 grid gap-x-8 text-sm sm:grid-cols-2">
        {understood.map(([name, example]) => (
          <div
            key={name}
            className="flex justify-between gap-4 border-b py-1.5 last:border-b-0 sm:nth-last-2:border-b-0"
          >
            <dt>{name}</dt>
            <dd className="text-right font-mono text-muted text-xs leading-5">{example}</dd>
          </div>
        ))}
      </dl>
    </section>
  )
}

function addressOf({ owner, item, kind, id }: SupportMatch): string {
  return traceAddress(owner ? caseOfItem(owner.id, item?.key ?? null) : { kind, id })
}
