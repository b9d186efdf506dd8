import { BookmarkPlus, X } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { useSearchParams } from 'react-router-dom'
import { workKinds, workStates } from '../../../../schema/api/support.ts'
import { SearchField } from '../../../components/SearchField.tsx'
import { withParameter } from '../../../components/support/addresses.ts'
import { workKindNames, workStateNames } from '../../../components/support/labels.ts'
import { Button } from '../../../ui/Button.tsx'
import { cn } from '../../../ui/cn.ts'
import { Dialog } from '../../../ui/Dialog.tsx'
import { Field } from '../../../ui/Field.tsx'
import { filterStyle, Select } from '../../../ui/Select.tsx'
import {
  addSaved,
  loadSaved,
  longestText,
  readFilter,
  type SavedFilter,
  storeSaved,
  utcMinute,
  writeFilter,
} from './filter.ts'

const ages = [
  ['15', 'Older than 15 min'],
  ['60', 'Older than 1 h'],
  ['1440', 'Older than 1 d'],
  ['10080', 'Older than 7 d'],
] as const

/** The filter is in the URL; saved filters are in the browser. */
export function FilterBar() {
  const [search, setSearch] = useSearchParams()
  const filter = readFilter(search)
  const current = writeFilter(filter).toString()
  const set = (name: string) => (value: string) => {
    // The current URL: a choice made while the user typed may not have been rendered yet.
    setSearch(withParameter(new URLSearchParams(window.location.search), name, value), { replace: true })
  }
  return (
    <search className="mb-3 grid grid-cols-2 items-center gap-2 sm:flex sm:flex-wrap">
      <SearchField
        label="Filter by error, title or id"
        placeholder="Error, title or id"
        maxLength={longestText}
        value={filter.text ?? ''}
        onChange={set('text')}
        className="min-w-48 max-sm:col-span-2"
      />
      <Select
        label="State"
        value={filter.state ?? ''}
        onChange={set('state')}
        options={[['', 'Failed and stuck'], ...workStates.map((one) => [one, workStateNames[one]] as const)]}
      />
      <Select
        label="Kind"
        value={filter.kind ?? ''}
        onChange={set('kind')}
        options={[['', 'All kinds'], ...workKinds.map((one) => [one, workKindNames[one]] as const)]}
      />
      <Select
        label="Age"
        value={String(filter.older_than_minutes ?? '')}
        onChange={set('older')}
        options={[['', 'Any age'], ...ages]}
      />
      <Select
        label="Order"
        value={filter.order === 'money' ? 'money' : ''}
        onChange={set('order')}
        options={[
          ['', 'Oldest first'],
          ['money', 'Most money first'],
        ]}
      />
      <div className="flex gap-2 max-sm:col-span-2 max-sm:flex-col">
        {(['from', 'to'] as const).map((name) => (
          <label key={name} className="flex items-center gap-1.5 text-sm text-muted">
            {name === 'from' ? 'From' : 'To'} (UTC)
            <input
              type="datetime-local"
              value={utcMinute(filter[name])}
              onChange={({ target }) => set(name)(target.value)}
              className={cn(filterStyle, 'min-w-0 text-ink max-sm:flex-1')}
            />
          </label>
        ))}
      </div>
      {current && (
        <Button variant="quiet" size="small" onClick={() => setSearch({})}>
          Clear
        </Button>
      )}
      <SavedFilters current={current} onChoose={setSearch} />
    </search>
  )
}

interface SavedFiltersProps {
  /** The query of the filter that is chosen; empty for none. */
  current: string
  onChoose: (query: URLSearchParams) => void
}

function SavedFilters({ current, onChoose }: SavedFiltersProps) {
  const [saved, setSaved] = useState(loadSaved)
  const [isNaming, setIsNaming] = useState(false)
  const [name, setName] = useState('')
  const keep = (next: readonly SavedFilter[]) => {
    storeSaved(next)
    setSaved(next)
  }

  function submit(event: FormEvent) {
    event.preventDefault()
    if (!name.trim()) return
    keep(addSaved(saved, { name: name.trim(), query: current }))
    setIsNaming(false)
    setName('')
  }

  return (
    <>
      {current && !saved.some(({ query }) => query === current) && (
        <Button variant="quiet" size="small" onClick={() => setIsNaming(true)}>
          <BookmarkPlus aria-hidden="true" />
          Save filter
        </Button>
      )}
      {saved.length > 0 && (
        <ul aria-label="Saved filters" className="flex w-full flex-wrap gap-1.5">
          {saved.map((filter) => (
            <li
              key={filter.name}
              className="inline-flex items-center rounded-full border bg-surface text-xs has-aria-pressed:border-accent-line"
            >
              <button
                type="button"
                aria-pressed={filter.query === current}
                className="rounded-full py-1 pl-2.5 font-medium aria-pressed:text-accent-text hover:text-accent-text"
                onClick={() => onChoose(new URLSearchParams(filter.query))}
              >
                {filter.name}
              </button>
              <button
                type="button"
                aria-label={`Delete the filter ${filter.name}`}
                className="mr-1 ml-0.5 grid size-5 place-items-center rounded-full text-faint hover:bg-hover hover:text-ink"
                onClick={() => keep(saved.filter(({ name: other }) => other !== filter.name))}
              >
                <X aria-hidden="true" className="size-3" />
              </button>
            </li>
          ))}
        </ul>
      )}
      {isNaming && (
        <Dialog
          onClose={() => setIsNaming(false)}
          title="Save this filter"
          description="It is kept in this browser."
        >
          <form onSubmit={submit}>
            <Field
              label="Name"
              autoFocus
              autoComplete="off"
              maxLength={40}
              value={name}
              onChange={({ target }) => setName(target.value)}
            />
            <div className="mt-4 flex justify-end">
              <Button type="submit">Save</Button>
            </div>
          </form>
        </Dialog>
      )}
    </>
  )
}
