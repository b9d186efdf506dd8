import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useSearchParams } from 'react-router-dom'
import type { OrganizationPerson } from '../../../schema/api/organization-people.ts'
import { useApi } from '../../api/ApiProvider.tsx'
import type { PayerView } from '../../api/account.ts'
import { budgetsQuery } from '../../api/billing.ts'
import { LimitDialog } from '../../components/budgets/LimitDialog.tsx'
import { formatCredits } from '../../components/format.ts'
import { Badge } from '../../ui/Badge.tsx'
import { Button } from '../../ui/Button.tsx'

interface LimitOfProps {
  payer: PayerView
  person: OrganizationPerson
  /** In the column of limits, where a link opens it; elsewhere its label says what it is. */
  opensByLink?: boolean
}

/** What a person with a seat may spend, which opens to be changed. */
export function LimitOf({
  payer,
  person: { user_id, name, email, seat },
  opensByLink = false,
}: LimitOfProps) {
  const [search, setSearch] = useSearchParams()
  const [opened, setOpened] = useState(false)
  const limits = useQuery(budgetsQuery(useApi(), payer)).data
  if (seat !== 'active' || user_id === null || !limits) return null
  const budget = limits.people.find((one) => one.user_id === user_id)?.budget ?? null
  const who = name ?? email ?? user_id
  const close = () => {
    setOpened(false)
    if (search.has('limit_of')) setSearch({ tab: 'seats' }, { replace: true })
  }
  const text = budget
    ? `${formatCredits(budget.spent + budget.held)} of ${formatCredits(budget.limit)}`
    : 'No limit'
  return (
    <span className="inline-flex items-center gap-2">
      <Button
        variant="quiet"
        size="small"
        className="-ml-3 tabular-nums"
        aria-label={`Limit of ${who}: ${text}`}
        onClick={() => setOpened(true)}
      >
        {opensByLink ? text : `Limit: ${text}`}
      </Button>
      {budget?.asked_at && <Badge tone="caution">Asks for more</Badge>}
      {!budget?.asked_at && budget && budget.left <= 0 && <Badge tone="critical">Blocked</Badge>}
      {(opened || (opensByLink && search.get('limit_of') === user_id)) && (
        <LimitDialog
          payer={payer}
          target={{ scope: 'member', user_id, title: `Limit of ${who}`, budget }}
          onClose={close}
        />
      )}
    </span>
  )
}
