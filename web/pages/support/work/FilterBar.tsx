import { useSearchParams } from 'react-router-dom'
import { workKinds, workStates } from '../../../../schema/api/support.ts'
import { SearchField } from '../../../components/SearchField.tsx'
import { withParameter } from '../../../components/support/addresses.ts'
import { workKindNames, workStateNames } from '../../../components/support/labels.ts'
import { Button } from '../../../ui/Button.tsx'
import { cn } from '../../../ui/cn.ts'
import { filterStyle, Select } from '../../../ui/Select.tsx'
import { longestText, readFilter } from './filter.ts'

/** The filter is in the URL, so a bookmark keeps it. */
export function FilterBar() {
  const [search, setSearch] = useSearchParams()
  const filter = readFilter(search)
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
      <div className="flex gap-2 max-sm:col-span-2 max-sm:flex-col">
        {(['from', 'to'] as const).map((name) => (
          <label key={name} className="flex items-center gap-1.5 text-sm text-muted">
            {name === 'from' ? 'From' : 'To'} (UTC)
            <input
              type="datetime-local"
              value={filter[name]?.slice(0, 16) ?? ''}
              onChange={({ target }) => set(name)(target.value)}
              className={cn(filterStyle, 'min-w-0 text-ink max-sm:flex-1')}
            />
          </label>
        ))}
      </div>
      {search.size > 0 && (
        <Button variant="quiet" size="small" onClick={() => setSearch({})}>
          Clear
        </Button>
      )}
    </search>
  )
}
