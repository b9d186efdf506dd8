import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { type Budget, type BudgetPeriod, raiseBudget, setBudget } from '../../../schema/api/budgets.ts'
import { useApi } from '../../api/ApiProvider.tsx'
import type { PayerView } from '../../api/account.ts'
import { budgetsQuery } from '../../api/billing.ts'
import { hasCode } from '../../api/failure.ts'
import { Alert } from '../../ui/Alert.tsx'
import { Button } from '../../ui/Button.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { Field } from '../../ui/Field.tsx'
import { Segments } from '../../ui/Segments.tsx'
import { toast } from '../../ui/toast.ts'
import { formatCredits } from '../format.ts'
import { toastFailure } from '../toastFailure.ts'

export const periodNames: Readonly<Record<BudgetPeriod, string>> = {
  day: 'day',
  month: 'calendar month',
  billing_month: 'billing month',
}

const periods = [
  { value: 'day', label: 'Day' },
  { value: 'month', label: 'Month' },
  { value: 'billing_month', label: 'Billing month' },
] as const

const lasting = [
  { value: 'always', label: 'From now on' },
  { value: 'once', label: 'This period only' },
] as const

/** Whose limit it is. */
export interface LimitTarget {
  scope: Budget['scope']
  /** Of a person. */
  user_id?: string
  title: string
  /** What applies today, of a person also the limit of each member; null where nothing does. */
  budget: (Pick<Budget, 'limit' | 'period'> & Partial<Pick<Budget, 'id' | 'scope' | 'extra'>>) | null
}

interface LimitDialogProps {
  payer: PayerView
  target: LimitTarget
  onClose: () => void
}

/** Sets, raises or removes a limit. One below what is spent already is confirmed. */
export function LimitDialog({ payer, target, onClose }: LimitDialogProps) {
  const { budget, scope, user_id } = target
  const api = useApi()
  const queryClient = useQueryClient()
  const [typed, setTyped] = useState(String(budget ? budget.limit - (budget.extra ?? 0) : ''))
  const [period, setPeriod] = useState<BudgetPeriod>(budget?.period ?? 'billing_month')
  const [lasts, setLasts] = useState<'always' | 'once'>('always')
  const [checked, setChecked] = useState(false)
  const [warning, setWarning] = useState<string | null>(null)
  const query = { payer: payer.payer }
  const limit = /^\d+$/.test(typed) ? Number(typed) : Number.NaN
  const isOnce = lasts === 'once' && budget?.id !== undefined
  const problem = !(limit <= 1_000_000_000)
    ? 'A limit is a whole number of credits; 0 blocks all'
    : isOnce && limit <= budget.limit
      ? `For this period it can only be raised, above ${formatCredits(budget.limit)}`
      : null
  const save = useMutation({
    mutationFn: async (to: { limit: number | null; confirmed: boolean }) =>
      isOnce && to.limit !== null
        ? api(raiseBudget, {
            query,
            body: { budget_id: budget.id ?? '', limit: to.limit, ...(user_id !== undefined && { user_id }) },
          })
        : api(setBudget, {
            query,
            body: { scope, period, ...to, ...(user_id !== undefined && { user_id }) },
          }),
    onSuccess: async (_, { limit: saved }) => {
      await queryClient.invalidateQueries({ queryKey: budgetsQuery(api, payer).queryKey })
      toast.success(saved === null ? 'Limit removed' : `Limit set to ${formatCredits(saved)} credits`)
      onClose()
    },
    onError: (error) => {
      if (hasCode(error, 'limit_below_spent')) setWarning(error.text)
      else toastFailure('Failed to change the limit')(error)
    },
  })

  function submit(event: FormEvent) {
    event.preventDefault()
    setChecked(true)
    if (!problem) save.mutate({ limit, confirmed: warning !== null })
  }

  return (
    <Dialog
      onClose={onClose}
      title={target.title}
      description="A request that would pass the limit is refused in the editor before it starts. Reserved credits count. Days and months are those of UTC."
    >
      <form noValidate onSubmit={submit}>
        <Field
          label="Limit"
          unit="credits"
          value={typed}
          disabled={save.isPending}
          problem={checked ? problem : null}
          hint={budget?.extra ? `${formatCredits(budget.extra)} more in this period` : undefined}
          onChange={({ target: { value } }) => {
            setTyped(value.trim())
            setWarning(null)
          }}
        />
        {budget?.id !== undefined && (
          <div className="mb-4">
            <Segments
              label="How long"
              name="limit-lasting"
              value={lasts}
              options={lasting}
              onChange={setLasts}
            />
          </div>
        )}
        {!isOnce && (
          <>
            <p className="mb-1.5 font-medium text-sm">In each</p>
            <Segments
              label="Period"
              name="limit-period"
              value={period}
              options={periods}
              onChange={setPeriod}
            />
          </>
        )}
        {warning && (
          <div className="mt-5">
            <Alert tone="caution" title="This blocks at once">
              {warning}
            </Alert>
          </div>
        )}
        <div className="mt-6 flex flex-col-reverse gap-2.5 sm:flex-row sm:justify-end">
          {budget !== null && (budget.scope ?? scope) === scope && !isOnce && (
            <Button
              variant="quiet"
              className="sm:mr-auto"
              onClick={() => save.mutate({ limit: null, confirmed: true })}
            >
              Remove limit
            </Button>
          )}
          <Button variant="secondary" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" busy={save.isPending}>
            {warning ? 'Set it all the same' : 'Save'}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
