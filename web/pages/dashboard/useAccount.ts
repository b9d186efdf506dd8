import { type UseQueryResult, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import type { AccountSummary } from '../../../schema/api/account.ts'
import { freePlan } from '../../../schema/catalogue/sold-plans.ts'
import { useApi } from '../../api/ApiProvider.tsx'
import { accountSummaryQuery, initializeQuery, type Person } from '../../api/account.ts'
import { useWebConfig } from '../../api/catalogue.ts'
import { hasCode, isStatus } from '../../api/failure.ts'
import type { FailedQuery } from '../../components/FailurePanel.tsx'
import { toast } from '../../ui/toast.ts'

export type AccountView =
  | { state: 'loading' }
  | { state: 'ready'; summary: AccountSummary }
  | { state: 'failed'; title: string; query: FailedQuery }

/** The account of a payer. A user without one gets an account on the free plan, and a welcome. */
export function useAccount(person: Person, payer: string): AccountView {
  const api = useApi()
  const queryClient = useQueryClient()
  const { brand } = useWebConfig()
  const summary = useQuery(accountSummaryQuery(api, { payer, userId: person.id }))
  const missing = summary.data?.member_since === null
  const initialized = useQuery({ ...initializeQuery(api, person, freePlan.plan_type), enabled: missing })

  const made = initialized.data
  useEffect(() => {
    if (!made) return
    void queryClient.invalidateQueries({ queryKey: ['account-summary'] })
    if (made.created) {
      toast.success('Account Created', {
        id: 'account-created',
        description: `Welcome to ${brand.name}! Your account is on the Starter plan.`,
      })
    }
  }, [made, brand.name, queryClient])

  if (summary.isError && (missing || !summary.data)) return failed(summary, 'read')
  if (missing && initialized.isError) return failed(initialized, 'make')
  return summary.data && !missing ? { state: 'ready', summary: summary.data } : { state: 'loading' }
}

/** A manual retry reports its success. */
function failed(query: UseQueryResult, step: AccountStep): AccountView {
  const { error, isFetching } = query
  const refetch = async () => {
    const { isSuccess } = await query.refetch()
    if (isSuccess) toast.success('Data Loaded', { description: 'Your account is up to date.' })
  }
  return { state: 'failed', title: accountFailureTitle(error, step), query: { error, isFetching, refetch } }
}

/** What could not be done: to read the account, or to make the one that is missing. */
type AccountStep = 'read' | 'make'

/** The title of a failure that leaves the dashboard without an account, in the product's words. */
export function accountFailureTitle(error: unknown, step: AccountStep): string {
  if (isStatus(error, 401)) return 'Authentication Error'
  if (step === 'read') return 'Database Error'
  // The account is made of what the sign-in service knows, and that did not answer.
  return hasCode(error, 'initialize_failed') ? 'User Creation Failed' : 'Initialization Error'
}
