import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { ScrollText } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { useSearchParams } from 'react-router-dom'
import { useApi } from '../../../api/ApiProvider.tsx'
import { type AuditFilter, actProgressQuery, auditQuery } from '../../../api/support-acts.ts'
import { FailurePanel } from '../../../components/FailurePanel.tsx'
import { ListSkeleton } from '../../../components/ListSkeleton.tsx'
import { ShowMore } from '../../../components/ShowMore.tsx'
import { BatchProgress } from '../../../components/support/acts/BatchProgress.tsx'
import { ClearFilter } from '../../../components/support/ClearFilter.tsx'
import { utcTime } from '../../../components/support/Moment.tsx'
import { Page } from '../../../components/support/Page.tsx'
import { Button } from '../../../ui/Button.tsx'
import { Card } from '../../../ui/Card.tsx'
import { EmptyState } from '../../../ui/EmptyState.tsx'
import { AuditEntries } from './AuditEntries.tsx'

/** The append-only log of what support staff requested and did. */
export function AuditPage() {
  const [search, setSearch] = useSearchParams()
  const filter = readFilter(search)
  const isFiltered = Object.keys(filter).length > 0
  const api = useApi()
  const log = useInfiniteQuery(auditQuery(api, filter))
  const entries = log.data?.pages.flatMap(({ items }) => items) ?? []
  const { batch_id = '' } = filter
  const batch = useQuery({ ...actProgressQuery(api, { batch_id }), enabled: batch_id !== '' })
  const acts = batch.data?.acts ?? []
  return (
    <Page title="Audit log" description="What support staff did and viewed; entries cannot be deleted">
      <FilterForm key={search.toString()} filter={filter} onChange={(next) => setSearch({ ...next })} />
      <Card className="@container overflow-clip">
        {log.isPending || batch.isLoading ? (
          <ListSkeleton label="Loading the audit log" />
        ) : log.isLoadingError ? (
          <FailurePanel title="The audit log could not be loaded" query={log} />
        ) : entries.length === 0 ? (
          <EmptyState
            icon={ScrollText}
            title={isFiltered ? 'No results for this filter' : 'No acts yet'}
            className="py-14"
            action={isFiltered && <ClearFilter onClear={() => setSearch({})} />}
          >
            {isFiltered
              ? 'Ids are compared exactly as they are written.'
              : 'Each act of support staff is recorded here, with its reason.'}{' '}
            Looked at the whole log at {utcTime(new Date(log.dataUpdatedAt).toISOString())}.
          </EmptyState>
        ) : (
          <>
            {acts.length > 0 && (
              <section aria-label="Acts that were asked for together" className="border-line border-b p-4">
                <BatchProgress batchId={batch_id} acts={acts} refused={[]} />
              </section>
            )}
            <AuditEntries entries={entries} />
            <ShowMore query={log} label="Show older" />
          </>
        )}
      </Card>
    </Page>
  )
}

function readFilter(search: URLSearchParams): AuditFilter {
  const names = ['owner_id', 'actor', 'act_id', 'batch_id'] as const
  return Object.fromEntries(
    names.flatMap((name) => [[name, search.get(name)?.trim()]]).filter(([, value]) => value),
  )
}

function FilterForm({ filter, onChange }: { filter: AuditFilter; onChange: (filter: AuditFilter) => void }) {
  const [owner, setOwner] = useState(filter.owner_id ?? '')
  const [actor, setActor] = useState(filter.actor ?? '')
  const [owner_id, who] = [owner.trim(), actor.trim()]

  function submit(event: FormEvent) {
    event.preventDefault()
    onChange({ ...(owner_id && { owner_id }), ...(who && { actor: who }) })
  }

  return (
    <search>
      <form onSubmit={submit} className="mb-3 flex flex-wrap gap-2">
        <FilterField
          label="Customer"
          placeholder="Customer: user_… or org_…"
          value={owner}
          onChange={setOwner}
        />
        <FilterField
          label="Colleague"
          placeholder="Colleague: user_… or cli:…"
          value={actor}
          onChange={setActor}
        />
        <Button type="submit" variant="secondary" size="small">
          Filter
        </Button>
        {Object.keys(filter).length > 0 && (
          <Button variant="quiet" size="small" onClick={() => onChange({})}>
            Clear
          </Button>
        )}
      </form>
    </search>
  )
}

interface FilterFieldProps {
  label: string
  placeholder: string
  value: string
  onChange: (value: string) => void
}

function FilterField({ label, placeholder, value, onChange }: FilterFieldProps) {
  return (
    <input
      type="search"
      aria-label={label}
      placeholder={placeholder}
      maxLength={64}
      autoComplete="off"
      spellCheck={false}
      value={value}
      onChange={({ target }) => onChange(target.value)}
      className="h-8 min-w-56 flex-1 rounded-control border border-line-strong bg-surface px-2.5 text-sm shadow-low placeholder:text-faint sm:max-w-72"
    />
  )
}
