import { useQuery } from '@tanstack/react-query'
import { useApi } from '../../api/ApiProvider.tsx'
import { accountSummaryQuery, nextPaymentQuery, type PayerView } from '../../api/account.ts'
import { Alert } from '../../ui/Alert.tsx'
import { NoticeActions } from './NoticeActions.tsx'
import { isTrialEnding, type Notice, noticesOf } from './notices.ts'

export function Notices({ payer }: { payer: PayerView }) {
  const { notices } = useNotices(payer)
  if (notices.length === 0) return null
  return (
    <section aria-label="Notices" className="mb-4 space-y-3 sm:mb-5">
      {notices.map(({ id, tone, title, text, actions }) => (
        <Alert key={id} tone={tone} title={title}>
          <p>{text}</p>
          <NoticeActions actions={actions} payer={payer} />
        </Alert>
      ))}
    </section>
  )
}

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
