import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { useSearchParams } from 'react-router-dom'
import { askForMore, type Budget, type BudgetPeriod, type getBudgets } from '../../../schema/api/budgets.ts'
import type { ResponseOf } from '../../../schema/api/endpoint.ts'
import { useApi } from '../../api/ApiProvider.tsx'
import type { PayerView } from '../../api/account.ts'
import { budgetsQuery } from '../../api/billing.ts'
import { Alert } from '../../ui/Alert.tsx'
import { Button } from '../../ui/Button.tsx'
import { Card, CardHeader } from '../../ui/Card.tsx'
import { formatCredits } from '../format.ts'
import { Loaded } from '../Loaded.tsx'
import { toastFailure } from '../toastFailure.ts'
import { LimitBar } from './LimitBar.tsx'
import { LimitDialog, type LimitTarget, periodNames } from './LimitDialog.tsx'

interface LimitsCardProps {
  payer: PayerView
  /** An admin changes the limits of the organization; a member sees those that apply and asks for more. */
  mayManage: boolean
}

/** The limits on what is spent of a balance: one's own, or those of an organization. */
export function LimitsCard({ payer, mayManage }: LimitsCardProps) {
  const query = useQuery(budgetsQuery(useApi(), payer))
  const isPersonal = payer.payer === 'personal'
  return (
    <Card aria-labelledby="limits-title">
      <CardHeader
        id="limits-title"
        title={isPersonal ? 'Spending limit' : 'Spending limits'}
        description={
          isPersonal
            ? 'The most that your editors may spend of your personal balance.'
            : mayManage
              ? 'What people may spend of the pool. A limit for one person is set in Seat Management.'
              : 'What you may spend of the pool of the organization.'
        }
      />
      <Loaded query={query} what="the limits" skeleton="h-16">
        {(limits) => (
          <div className="divide-y divide-line pb-1">
            {mayManage ? (
              <Managed payer={payer} limits={limits} />
            ) : (
              <OfMember payer={payer} limits={limits} />
            )}
          </div>
        )}
      </Loaded>
    </Card>
  )
}

type Limits = ResponseOf<typeof getBudgets>

function Managed({ payer, limits }: { payer: PayerView; limits: Limits }) {
  const [target, setTarget] = useState<LimitTarget | null>(null)
  const { everyone, member_default } = limits
  const isPersonal = payer.payer === 'personal'
  const all: Omit<LimitTarget, 'budget'> = isPersonal
    ? { scope: 'own', title: 'Your spending limit' }
    : { scope: 'organization', title: 'Limit for everyone together' }
  return (
    <>
      <Row
        name={isPersonal ? 'You' : 'Everyone together'}
        limit={everyone}
        onChange={() => setTarget({ ...all, budget: everyone })}
      >
        {everyone && <LimitBar budget={everyone} />}
      </Row>
      {!isPersonal && (
        <Row
          name="Each member"
          limit={member_default}
          onChange={() =>
            setTarget({ scope: 'member_default', title: 'Limit for each member', budget: member_default })
          }
        >
          {member_default && (
            <p className="text-muted text-sm">For each person who has no limit of their own.</p>
          )}
        </Row>
      )}
      {target && <LimitDialog payer={payer} target={target} onClose={() => setTarget(null)} />}
    </>
  )
}

interface RowProps {
  name: string
  limit: { limit: number; period: BudgetPeriod } | null
  /** Left out for those who may not change it. */
  onChange?: () => void
  children: ReactNode
}

function Row({ name, limit, onChange, children }: RowProps) {
  return (
    <div className="px-5 py-4 sm:px-6">
      <div className="mb-2 flex flex-wrap items-baseline justify-between gap-x-4 gap-y-1 text-sm">
        <h3 className="font-medium">{name}</h3>
        <div className="ml-auto flex items-baseline gap-3">
          <span className="text-muted tabular-nums">{limit ? limitText(limit) : 'No limit'}</span>
          {onChange && (
            <Button variant="secondary" size="small" aria-label={`Change limit: ${name}`} onClick={onChange}>
              {limit ? 'Change' : 'Set limit'}
            </Button>
          )}
        </div>
      </div>
      {children}
    </div>
  )
}

const limitText = ({ limit, period }: { limit: number; period: BudgetPeriod }) =>
  `${formatCredits(limit)} each ${periodNames[period]}`

const scopeNames: Readonly<Record<Budget['scope'], string>> = {
  organization: 'Everyone together',
  member_default: 'You, like each member',
  member: 'You',
  own: 'You',
}

function OfMember({ payer, limits: { everyone, people } }: { payer: PayerView; limits: Limits }) {
  const [search] = useSearchParams()
  const asked = search.get('ask')
  const applying = [...people.map(({ budget }) => budget), everyone].filter((budget) => budget !== null)
  if (applying.length === 0)
    return <p className="px-5 py-4 text-muted text-sm sm:px-6">No limit is set for you.</p>
  return applying.map((budget) => (
    <Row key={budget.id} name={scopeNames[budget.scope]} limit={budget}>
      <LimitBar budget={budget} />
      {(budget.left <= 0 || budget.refused > 0 || budget.id === asked) && (
        <AskForMore payer={payer} budget={budget} />
      )}
    </Row>
  ))
}

function AskForMore({ payer, budget }: { payer: PayerView; budget: Budget }) {
  const api = useApi()
  const queryClient = useQueryClient()
  const ask = useMutation({
    mutationFn: () => api(askForMore, { query: { payer: payer.payer }, body: { budget_id: budget.id } }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: budgetsQuery(api, payer).queryKey }),
    onError: toastFailure('Failed to ask for more'),
  })
  return (
    <div className="mt-3">
      {budget.asked_at ? (
        <Alert>The administrators of your organization have been asked to raise this limit.</Alert>
      ) : (
        <Button variant="secondary" size="small" busy={ask.isPending} onClick={() => ask.mutate()}>
          Ask for more
        </Button>
      )}
    </div>
  )
}
