import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { payOverdue } from '../../../schema/api/account.ts'
import { useApi } from '../../api/ApiProvider.tsx'
import { accountSummaryQuery, nextPaymentQuery, type PayerView } from '../../api/account.ts'
import { Alert } from '../../ui/Alert.tsx'
import { Button } from '../../ui/Button.tsx'
import { LinkButton } from '../../ui/LinkButton.tsx'
import { toast } from '../../ui/toast.ts'
import { AddCreditsLink } from '../RouteButton.tsx'
import { toastFailure } from '../toastFailure.ts'
import { isTrialEnding, type Notice, type NoticeAction, noticesOf } from './notices.ts'
import { PortalButton } from './PortalButton.tsx'
import type { Payer } from './usePayer.ts'

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

interface NoticeActionsProps {
  actions: Notice['actions']
  payer: Pick<Payer, 'payer' | 'userId'>
  onFollow?: () => void
}

/** The ways to resolve a notice, each in one click. */
export function NoticeActions({ actions, ...props }: NoticeActionsProps) {
  if (actions.length === 0) return null
  return (
    <div className="mt-2.5 flex flex-wrap gap-2">
      {actions.map((action) => (
        <Action key={action.label} action={action} {...props} />
      ))}
    </div>
  )
}

interface ActionProps extends Omit<NoticeActionsProps, 'actions'> {
  action: NoticeAction
}

function Action({ action, payer, onFollow }: ActionProps) {
  switch (action.leadsTo) {
    case 'credits':
      return <AddCreditsLink onFollow={onFollow} />
    case 'stripe':
      return (
        <LinkButton href={action.url} rel="noreferrer" onClick={onFollow} variant="secondary" size="small">
          {action.label}
        </LinkButton>
      )
    case 'card':
      return <PortalButton payer={payer} label={action.label} flow="payment_method_update" />
    case 'payment':
      return <PayNow payer={payer} label={action.label} />
    case 'portal':
      return <PortalButton payer={payer} label={action.label} />
  }
}

const pollMs = 1500

/** Charges the card that its label names. The notice goes when the payment is applied. */
function PayNow({ payer, label }: Pick<ActionProps, 'payer'> & { label: string }) {
  const api = useApi()
  const queryClient = useQueryClient()
  const pay = useMutation({
    mutationFn: () => api(payOverdue, { query: { payer: payer.payer }, body: {} }),
    onSuccess: () =>
      toast.success('Payment received', { description: 'The plan is renewed in a few seconds.' }),
    onError: toastFailure('The payment could not be made.', 'Payment failed'),
    onSettled: () => queryClient.invalidateQueries({ queryKey: nextPaymentQuery(api, payer).queryKey }),
  })
  useQuery({ ...accountSummaryQuery(api, payer), refetchInterval: pay.isSuccess && pollMs })
  const isBusy = pay.isPending || pay.isSuccess
  return (
    <Button size="small" busy={isBusy} onClick={() => pay.mutate()}>
      {label}
    </Button>
  )
}
