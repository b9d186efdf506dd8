import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import type { User } from '../../../schema/api/users.ts'
import { useApi } from '../../api/ApiProvider.tsx'
import { initializeQuery, type Person, userQuery } from '../../api/account.ts'
import { useWebConfig } from '../../api/catalogue.ts'
import { isStatus } from '../../api/failure.ts'
import { toast } from '../../ui/toast.ts'

type AccountView =
  | { state: 'loading' }
  | { state: 'ready'; user: User }
  | { state: 'failed'; title: string; error: unknown; retry: () => void; retrying: boolean }

/** The signed-in user's account. A user without one gets an account on the free plan and a welcome toast. */
export function useAccount(person: Person): AccountView {
  const api = useApi()
  const queryClient = useQueryClient()
  const { brand } = useWebConfig()
  const account = useQuery(userQuery(api, person.id))
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

  if (account.data) return { state: 'ready', user: account.data }
  const failed = missing ? initialized : account
  if (failed.isError) {
    return {
      state: 'failed',
      title: missing ? 'User Creation Failed' : 'Something went wrong',
      error: failed.error,
      retry: () => void failed.refetch(),
      retrying: failed.isFetching,
    }
  }
  return { state: 'loading' }
}
