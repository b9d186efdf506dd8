import {
  type AccountSubscription,
  type AccountSummary,
  type NextPayment,
  renewalTexts,
} from '../../../schema/api/account.ts'
import { planOf } from '../../../schema/catalogue/sold-plans.ts'
import { formatCredits, formatDay, formatMoney } from '../format.ts'
import { cardName } from './card.ts'

export interface Notice {
  id:
    | 'no_seat'
    | 'past_due'
    | 'cancelling'
    | 'lapsed'
    | 'no_address'
    | 'trial_ending'
    | 'debt'
    | 'low_balance'
    | 'under_review'
  tone: 'critical' | 'caution' | 'info'
  title: string
  text: string
  /** The ways out, the best one first; none where the reader has none. */
  actions: readonly NoticeAction[]
}

export type NoticeAction =
  /** `card` is the portal's page for another card; `payment` charges the card on file. */
  | { leadsTo: 'portal' | 'card' | 'credits' | 'payment'; label: string }
  | { leadsTo: 'stripe'; url: string; label: string }

const adminIsMissing =
  'Your organization has no administrator any more. Write to support: they make a member one, and the plan goes on.'

const noCredits = 'No plan credits are added until it is paid.'

const trialNoticeMs = 3 * 24 * 3_600_000

/**
 * What the reader of an account should know and can do something about, most urgent first. `next` is the next
 * payment, once it is known.
 */
export function noticesOf(summary: AccountSummary, next?: NextPayment): Notice[] {
  const { subscription } = summary
  return [
    ...seatNotices(summary),
    ...(subscription ? planNotices(subscription, summary, next) : []),
    ...paymentNotices(summary),
    ...balanceNotices(summary),
  ]
}

/** Administration needs no seat, so admins are not told that they have none. */
function seatNotices({ organization_name, has_seat, may_manage, plan_type }: AccountSummary): Notice[] {
  if (organization_name === null || has_seat || may_manage || !planOf(plan_type).per_seat) return []
  return [
    {
      id: 'no_seat',
      tone: 'caution',
      title: `You have no seat in ${organization_name} yet`,
      text: 'Ask an administrator to assign you one. Until then you cannot use the credits of the organization.',
      actions: [],
    },
  ]
}

function planNotices(
  subscription: AccountSubscription,
  summary: AccountSummary,
  next: NextPayment | undefined,
): Notice[] {
  const { may_manage, as_of, overdue, lacks_admin } = summary
  const { name, per_seat } = planOf(subscription.plan_type)
  const { status, cancel_at, trial_end } = subscription
  const portal = (label: string): NoticeAction[] => (may_manage ? [{ leadsTo: 'portal', label }] : [])
  if (overdue) {
    const card = next && !next.card_declined ? next.card : null
    return [overdueNotice(overdue, subscription, { may_manage, card: card && cardName(card) })]
  }
  if (subscription.lapses_at !== null && subscription.ended_at === null) {
    return [lapsedNotice(subscription, subscription.lapses_at, as_of, next)]
  }
  if (status !== 'active' && status !== 'trialing') return []
  if (subscription.lacks_tax_location && cancel_at === null) {
    return [
      {
        id: 'no_address',
        tone: 'caution',
        title: 'A billing address is missing',
        text: `Without it the tax on invoices of ${name} cannot be worked out.${may_manage ? ' Add one in the billing portal; the next invoice has it.' : ' An administrator can add it.'}`,
        actions: portal('Add address'),
      },
    ]
  }
  if (cancel_at !== null) {
    return [
      {
        id: 'cancelling',
        tone: 'caution',
        title: `${name} ends on ${formatDay(cancel_at)}`,
        text: `Nothing more will be charged. Credits included in the plan end with it; purchased credits stay.${per_seat ? ' Everyone keeps their seat until then.' : ''}${lacks_admin ? ` ${adminIsMissing}` : ''}`,
        actions: portal('Resume plan'),
      },
    ]
  }
  if (status === 'trialing' && isTrialEnding(subscription, as_of)) {
    const first = next?.payment
    const sum = first ? `, ${formatMoney(first.amount_minor, first.currency)},` : ''
    return [
      {
        id: 'trial_ending',
        tone: 'info',
        title: `The free trial of ${name} ends on ${formatDay(trial_end ?? '')}`,
        text: `The first payment${sum} is taken on that day. Cancel before it and nothing is charged.`,
        actions: portal('Manage plan'),
      },
    ]
  }
  return []
}

/** No payment is on its way, by a decision of ours or of Stripe's: the reader has nothing to do about it. */
function lapsedNotice(
  { plan_type }: AccountSubscription,
  lapses_at: string,
  as_of: string,
  next: NextPayment | undefined,
): Notice {
  const { name } = planOf(plan_type)
  const day = formatDay(lapses_at)
  const at = next?.payment?.at
  const until = at
    ? `The next payment is due on ${formatDay(at)}.`
    : 'No payment is planned; support can say why.'
  const isAhead = Date.parse(lapses_at) > Date.parse(as_of)
  return {
    id: 'lapsed',
    tone: 'caution',
    title: isAhead ? `${name} is paid for until ${day}` : `${name} has not been paid for since ${day}`,
    text: `${until} ${isAhead ? 'From then on no' : 'No'} plan credits are added until a payment is made. Purchased credits stay usable.`,
    actions: [],
  }
}

function overdueNotice(
  {
    needs_confirmation,
    url,
    amount_minor,
    decline_reason,
    declined_at,
    next_attempt_at,
  }: NonNullable<AccountSummary['overdue']>,
  { plan_type, currency, status }: AccountSubscription,
  /** The card on file, where the payment was not declined on it. */
  { may_manage, card }: { may_manage: boolean; card: string | null },
): Notice {
  const { name } = planOf(plan_type)
  const sum = amount_minor === null ? 'The last payment' : formatMoney(amount_minor, currency)
  // As the badge of the status: the plan goes on while the payment is tried again.
  const notice = { id: 'past_due', tone: status === 'unpaid' ? 'critical' : 'caution' } as const
  if (needs_confirmation) {
    return {
      ...notice,
      title: `${sum} for ${name} has to be confirmed`,
      text: may_manage
        ? `Your bank asks you to confirm the payment. ${name} is renewed as soon as you have.`
        : `The bank asks an administrator to confirm the payment. ${name} is renewed as soon as they have.`,
      actions: url ? [{ leadsTo: 'stripe', url, label: 'Confirm payment' }] : [],
    }
  }
  if (!may_manage) {
    return {
      ...notice,
      title: `The last payment for ${name} was declined`,
      text: `An administrator has to update the card to keep ${name}. ${noCredits}`,
      actions: [],
    }
  }
  const day = declined_at ? ` on ${formatDay(declined_at)}` : ''
  const again = next_attempt_at && formatDay(next_attempt_at)
  const next = card
    ? again
      ? `${card} is charged on ${again}.`
      : `Pay now with ${card} to keep ${name}.`
    : again
      ? `Update the card by ${again}, when it is charged again, to keep ${name}.`
      : // Where an automation of Stripe's decides it, the day is not known at first.
        `Update the card and pay now to keep ${name}.`
  const update = { leadsTo: 'card', label: 'Update card' } as const
  return {
    ...notice,
    title: `${sum} for ${name} was declined${day}${decline_reason ? `: ${decline_reason}` : ''}`,
    text: `${next} ${noCredits}`,
    actions: card
      ? [{ leadsTo: 'payment', label: `Pay now with ${card}` }, update]
      : [update, ...(url ? [{ leadsTo: 'stripe', url, label: 'Pay now' } as const] : [])],
  }
}

/** Whether the reader is told of the end of a trial, and with it of the first payment. */
export function isTrialEnding({ trial_end }: Pick<AccountSubscription, 'trial_end'>, now: string): boolean {
  return trial_end !== null && Date.parse(trial_end) - Date.parse(now) <= trialNoticeMs
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
      actions: [],
    },
  ]
}

/** How urgent a low balance is, in notices and badges. */
export function lowBalanceTone({ renewal, balance }: AccountSummary): Notice['tone'] {
  if (renewal) return 'info'
  return balance.available + balance.held === 0 ? 'critical' : 'caution'
}

/** New users have a checklist instead, and credits on the way make a warning unnecessary. */
function balanceNotices(summary: AccountSummary): Notice[] {
  const { balance, may_manage, credits_on_the_way, renewal, payer } = summary
  const whose = payer === 'personal' ? 'You have' : 'Your organization has'
  const actions: NoticeAction[] = may_manage ? [{ leadsTo: 'credits', label: 'Add credits' }] : []
  const plea = may_manage ? '' : ' Ask an administrator to add some.'
  if (balance.total < 0) {
    return [
      {
        id: 'debt',
        tone: 'critical',
        title: `The balance is ${formatCredits(balance.total)} credits`,
        text: `A refund or dispute took back credits that were used. Credits that are added cover that first.${plea}`,
        actions,
      },
    ]
  }
  if (!balance.low || credits_on_the_way > 0) return []
  const left = balance.available + balance.held
  const isUsedUp = left === 0
  const reserved = balance.held > 0 ? `, ${formatCredits(balance.held)} of them reserved` : ''
  return [
    {
      id: 'low_balance',
      tone: lowBalanceTone(summary),
      title: isUsedUp
        ? `${whose} no credits left`
        : `${whose} ${formatCredits(left)} credits left${reserved}`,
      text: renewal
        ? renewalTexts[renewal]
        : isUsedUp
          ? `The assistant waits until there are credits again.${plea}`
          : `Add credits in time to keep working without interruption.${may_manage ? '' : ' An administrator can do that.'}`,
      actions,
    },
  ]
}
