import { useQuery } from '@tanstack/react-query'
import { useApi } from '../../api/ApiProvider.tsx'
import { accountSummaryQuery, nextPaymentQuery, type PayerView } from '../../api/account.ts'
import { isTrialEnding, type Notice, noticesOf } from './notices.ts'

/** The notices of an account. Stripe is asked for the next payment only where a notice names it or its card. */
export function useNotices(payer: PayerView): { notices: Notice[]; isLoaded: boolean } {
  const api = useApi()
  const { data: summary } = useQuery(accountSummaryQuery(api, payer))
  const { subscription, may_manage, as_of, overdue } = summary ?? {}
  const isEnding = subscription?.status === 'trialing' && isTrialEnding(subscription, as_of ?? '')
  const namesPayment = may_manage === true && (isEnding || Boolean(overdue))
  const next = useQuery({ ...nextPaymentQuery(api, payer), enabled: namesPayment })
  return {
    notices: summary ? noticesOf(summary, next.data) : [],
    isLoaded: summary !== undefined,
  }
}
