import type { AccountSubscription, AccountSummary } from '../../schema/api/account.ts'

type Changes = Partial<Omit<AccountSummary, 'balance' | 'subscription'>> & {
  balance?: Partial<AccountSummary['balance']>
  subscription?: Partial<AccountSubscription>
}

/** A person's account with 500 purchased credits; with `subscription` also on Pro. */
export function summaryWith({ balance, subscription, ...others }: Changes = {}): AccountSummary {
  return {
    payer: 'personal',
    organization_name: null,
    has_seat: false,
    lacks_admin: false,
    mails: true,
    member_since: '2026-02-01T12:00:00.000Z',
    may_manage: true,
    plan_month: null,
    credits_on_the_way: 0,
    renewal: null,
    overdue: null,
    plan_type: 'starter',
    currency: { code: 'EUR', is_bound: false },
    payments: [],
    as_of: '2026-03-01T12:00:00.000Z',
    ...others,
    balance: {
      plan: 0,
      purchased: 500,
      total: 500,
      available: 500,
      held: 0,
      low: false,
      had_credits: true,
      ...balance,
    },
    subscription: subscription
      ? {
          id: 'sub_1',
          plan_type: 'pro',
          status: 'active',
          billing_frequency: 'monthly',
          currency: 'EUR',
          seats_total: 1,
          credits_per_seat: 500,
          price_per_seat_minor: 2000,
          current_period_end: '2026-03-20T12:00:00.000Z',
          trial_end: null,
          lapses_at: null,
          lacks_tax_location: false,
          cancel_at: null,
          ended_at: null,
          scheduled_change: null,
          ...subscription,
        }
      : null,
  }
}

export const noCredits = { purchased: 0, total: 0, available: 0, had_credits: false }
