import { type CreditCategory, creditCategories } from '../../../schema/api/explanation.ts'
import type { TransactionFilter } from '../../api/billing.ts'
import { SearchField } from '../../components/SearchField.tsx'
import { Button } from '../../ui/Button.tsx'
import { cn } from '../../ui/cn.ts'
import { filterStyle, Select } from '../../ui/Select.tsx'

const categoryNames: Readonly<Record<CreditCategory | 'all', string>> = {
  all: 'All transactions',
  purchase: 'Purchases',
  plan: 'Plan credits',
  usage: 'Usage',
  refund: 'Refunds and disputes',
  expiry: 'Expired credits',
  correction: 'Corrections',
}

const categories = (['all', ...creditCategories] as const).map((key) => [key, categoryNames[key]] as const)

interface TransactionFiltersProps {
  filter: TransactionFilter
  onChange: (change: Partial<TransactionFilter>) => void
}

export function TransactionFilters({ filter, onChange }: TransactionFiltersProps) {
  const { date } = filter
  return (
    <search className="flex flex-col gap-2 px-5 py-4 sm:px-6 md:flex-row">
      <SearchField
        label="Search billing history"
        placeholder="Search billing history..."
        maxLength={100}
        value={filter.q}
        onChange={(q) => onChange({ q })}
        className="max-md:flex-none"
      />
      <Select
        label="Kind of transaction"
        value={filter.category ?? 'all'}
        options={categories}
        onChange={(kind) => onChange({ category: kind === 'all' ? null : kind })}
        className="md:w-48"
      />
      <label className="flex items-center gap-2 text-muted text-sm">
        <span className="shrink-0">As of</span>
        <input
          type="date"
          value={date ?? ''}
          onChange={({ target }) => onChange({ date: target.value || null })}
          className={cn(
            filterStyle,
            'min-w-36 flex-1 tabular-nums',
            date === null ? 'text-faint' : 'text-ink',
          )}
        />
      </label>
      {date !== null && (
        <Button variant="secondary" size="small" className="h-9" onClick={() => onChange({ date: null })}>
          Now
        </Button>
      )}
    </search>
  )
}
