import type { AccountSubscription, AccountSummary } from '../../../schema/api/account.ts'
import { plans } from '../../../schema/catalogue/plans.ts'
import { formatCredits, formatDay } from '../format.ts'

export interface Notice {
  id: 'no_seat' | 'past_due' | 'cancelling' | 'trial_ending' | 'debt' | 'low_balance' | 'under_review'
  tone: 'critical' | 'caution' | 'info'
  title: string
  text: string
  /** The way out; null where the reader has none. */
  action:
    | { leadsTo: 'portal' | 'credits'; label: string }
    | { leadsTo: 'stripe'; url: string; label: string }
    | null
}

/** Instead of the advice to buy credits. */
export const renewalText =
  'The plan is being renewed, and its credits come with the payment, usually within an hour.'

const trialNoticeMs = 3 * 24 * 3_600_000

/** What the reader of an account should know and can do something about, most urgent first. */
export function noticesOf(summary: AccountSummary): Notice[] {
  const { subscription } = summary
  return [
    ...seatNotices(summary),
    ...(subscription ? planNotices(subscription, summary) : []),
    ...paymentNotices(summary),
    ...balanceNotices(summary),
  ]
}

/** Administration needs no seat, so admins are not told that they have none. */
function seatNotices({ organization_name, has_seat, may_manage, plan_type }: AccountSummary): Notice[] {
  if (organization_name === null || has_seat || may_manage || plan_type !== 'teams') return []
  return [
    {
      id: 'no_seat',
      tone: 'caution',
      title: `You have no seat in ${organization_name} yet`,
      text: 'Ask an administrator to assign you one. Until then you cannot use the credits of the organization.',
      action: null,
    },
  ]
}

function planNotices(subscription: AccountSubscription, summary: AccountSummary): Notice[] {
  const { may_manage, as_of, overdue } = summary
  const { name } = plans[subscription.plan_type]
  const { status, cancel_at, trial_end } = subscription
  const portal = (label: string): Notice['action'] => (may_manage ? { leadsTo: 'portal', label } : null)
  if (overdue?.needs_confirmation) {
    const { url } = overdue
    return [
      {
        id: 'past_due',
        tone: 'critical',
        title: `The payment for ${name} has to be confirmed`,
        text: may_manage
          ? 'Your bank asks you to confirm it. The plan is renewed as soon as you have.'
          : 'The bank asks an administrator to confirm it. The plan is renewed as soon as they have.',
        action: url ? { leadsTo: 'stripe', url, label: 'Confirm payment' } : null,
      },
    ]
  }
  if (status === 'past_due' || status === 'unpaid') {
    return [
      {
        id: 'past_due',
        tone: 'critical',
        title: `The last payment for ${name} failed`,
        text: may_manage
          ? 'The card was not charged. Update it to keep the plan.'
          : 'An administrator has to update the card to keep the plan.',
        action: portal('Update card'),
      },
    ]
  }
  if (status !== 'active' && status !== 'trialing') return []
  if (cancel_at !== null) {
    return [
      {
        id: 'cancelling',
        tone: 'caution',
        title: `${name} ends on ${formatDay(cancel_at)}`,
        text: 'Nothing more will be charged. Credits included in the plan end with it; purchased credits stay.',
        action: portal('Resume plan'),
      },
    ]
  }
  if (status === 'trialing' && trial_end !== null && isSoon(trial_end, as_of)) {
    return [
      {
        id: 'trial_ending',
        tone: 'info',
        title: `The free trial of ${name} ends on ${formatDay(trial_end)}`,
        text: 'The first payment is taken on that day. Cancel before it and nothing is charged.',
        action: portal('Manage plan'),
      },
    ]
  }
  return []
}

function isSoon(iso: string, now: string): boolean {
  return Date.parse(iso) - Date.parse(now) <= trialNoticeMs
}

function paymentNotices({ payments }: AccountSummary): Notice[] {
  const reviewed = payments.find(({ state }) => state === 'under_review')
  if (!reviewed) return []
  return [
    {
      id: 'under_review',
      tone: 'caution',
      title: 'A payment is being looked into',
      text: reviewed.reason,
      action: null,
    },
  ]
}

/** New users have a checklist instead, and credits on the way make a warning unnecessary. */
function balanceNotices(summary: AccountSummary): Notice[] {
  const { balance, may_manage, credits_on_the_way, is_renewing, payer } = summary
  const whose = payer === 'personal' ? 'You have' : 'Your organization has'
  const action: Notice['action'] = may_manage ? { leadsTo: 'credits', label: 'Add credits' } : null
  const plea = may_manage ? '' : ' Ask an administrator to add some.'
  if (balance.total < 0) {
    return [
      {
        id: 'debt',
        tone: 'critical',
        title: `The balance is ${formatCredits(balance.total)} credits`,
        text: `A refund or dispute took back credits that were used. Credits that are added cover that first.${plea}`,
        action,
      },
    ]
  }
  if (!balance.low || credits_on_the_way > 0) return []
  const isUsedUp = balance.available === 0
  return [
    {
      id: 'low_balance',
      tone: is_renewing ? 'info' : isUsedUp ? 'critical' : 'caution',
      title: isUsedUp
        ? `${whose} no credits left`
        : `${whose} ${formatCredits(balance.available)} credits left`,
      text: is_renewing
        ? renewalText
        : isUsedUp
          ? `The assistant waits until there are credits again.${plea}`
          : `Add credits in time to keep working without interruption.${may_manage ? '' : ' An administrator can do that.'}`,
      action,
    },
  ]
}
