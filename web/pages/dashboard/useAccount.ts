import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import type { AccountSummary } from '../../../schema/api/account.ts'
import type { User } from '../../../schema/api/users.ts'
import { useApi } from '../../api/ApiProvider.tsx'
import { accountSummaryQuery, initializeQuery, type Person, userQuery } from '../../api/account.ts'
import { useWebConfig } from '../../api/catalogue.ts'
import { isStatus } from '../../api/failure.ts'
import { toast } from '../../ui/toast.ts'
import { accountFailureTitle } from './accountFailure.ts'

export type AccountView =
  | { state: 'loading' }
  | { state: 'ready'; user: User; summary: AccountSummary }
  | { state: 'failed'; title: string; error: unknown; retry: () => void; retrying: boolean }

/** The account of a payer, and that of the person who looks at it: without one they get one on the free plan, and a welcome. */
export function useAccount(person: Person, payer: string): AccountView {
  const api = useApi()
  const queryClient = useQueryClient()
  const { brand } = useWebConfig()
  const account = useQuery(userQuery(api, person.id))
  const summary = useQuery(accountSummaryQuery(api, { payer, userId: person.id }))
  const missing = isStatus(account.error, 404)
  const initialized = useQuery({ ...initializeQuery(api, person, 'starter'), enabled: missing })

  const made = initialized.data
  useEffect(() => {
    if (!made) return
    queryClient.setQueryData(userQuery(api, made.user.clerk_id).queryKey, made.user)
    if (made.created) {
      toast.success('Account Created', {
        id: 'account-created',
        description: `Welcome to ${brand.name}! Your account is on the Starter plan.`,
      })
    }
  }, [made, api, brand.name, queryClient])

  if (account.data && summary.data) return { state: 'ready', user: account.data, summary: summary.data }
  const failed = [missing ? initialized : account, summary].filter(({ isError }) => isError)
  if (failed[0]) {
    return {
      state: 'failed',
      title: accountFailureTitle(failed[0].error, missing && failed[0] === initialized ? 'make' : 'read'),
      error: failed[0].error,
      retry: () => void retry(failed),
      retrying: failed.some(({ isFetching }) => isFetching),
    }
  }
  return { state: 'loading' }
}

/** Whoever asked for it again is told that it worked. */
async function retry(queries: readonly { refetch: () => Promise<{ isSuccess: boolean }> }[]): Promise<void> {
  const results = await Promise.all(queries.map(({ refetch }) => refetch()))
  if (results.every(({ isSuccess }) => isSuccess)) {
    toast.success('Data Loaded', { description: 'Your account is up to date.' })
  }
}
