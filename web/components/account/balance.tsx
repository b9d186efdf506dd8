import { type AccountSummary, renewalTexts } from '../../../schema/api/account.ts'
import { freePlan, planOf } from '../../../schema/catalogue/sold-plans.ts'
import { Badge } from '../../ui/Badge.tsx'
import { formatCredits, formatShortDay } from '../format.ts'
import { lowBalanceTone } from './notices.ts'

/** What a balance consists of. The bar fills with use of the month; the text above it says the same. */
export function BalanceParts({ summary }: { summary: Pick<AccountSummary, 'balance' | 'plan_month'> }) {
  const { plan_month } = summary
  return (
    <div className="space-y-2">
      {plan_month && (
        <>
          <p>{monthText(plan_month)}</p>
          <div aria-hidden="true" className="h-2 overflow-hidden rounded-full bg-hover">
            <div
              className="h-full rounded-full bg-accent"
              style={{ width: `${(plan_month.used / plan_month.granted) * 100}%` }}
            />
          </div>
        </>
      )}
      <p className="empty:hidden">{otherCreditsText(summary)}</p>
    </div>
  )
}

/** In the color of its notice. */
export function LowBalanceBadge({ summary }: { summary: AccountSummary }) {
  const tone = lowBalanceTone(summary)
  return <Badge tone={tone === 'info' ? 'accent' : tone}>Low balance</Badge>
}

/** The figure of a balance: what can be used, or what is owed. */
export function creditsShown({
  total,
  available,
}: Pick<AccountSummary['balance'], 'total' | 'available'>): string {
  return formatCredits(total < 0 ? total : available)
}

/** What stands after that figure: "credits", or "available · 75 reserved" while requests are under way. */
export function creditsUnit({ held }: { held: number }, unit = 'credits'): string {
  return held > 0 ? `available · ${formatCredits(held)} reserved` : unit
}

/** "477 of 500 plan credits used · resets Dec 7" */
export function monthText({
  granted,
  used,
  ends_at,
  resets,
}: NonNullable<AccountSummary['plan_month']>): string {
  const share = `${formatCredits(used)} of ${formatCredits(granted)} plan credits used`
  if (ends_at === null) return share
  return `${share} · ${resets ? 'resets' : 'the rest ends'} ${formatShortDay(ends_at)}`
}

/** "500 plan, 1,588 purchased"; nothing where no plan has any, since all of it is purchased then. */
export function splitText({ plan, purchased }: { plan: number; purchased: number }): string {
  if (plan === 0) return ''
  return purchased === 0
    ? `${formatCredits(plan)} plan`
    : `${formatCredits(plan)} plan, ${formatCredits(purchased)} purchased`
}

/** "1,000 purchased", and the plan's credits where no month explains them. */
function otherCreditsText({
  balance: { plan, purchased },
  plan_month,
}: Pick<AccountSummary, 'balance' | 'plan_month'>): string {
  return [
    ...(plan_month || plan === 0 ? [] : [`${formatCredits(plan)} plan credits`]),
    ...(purchased === 0 ? [] : [`${formatCredits(purchased)} purchased`]),
  ].join(' · ')
}

/** Distinguishes a user who has no credits yet from one who has none left. */
export function balanceNote({
  payer,
  balance,
  credits_on_the_way,
  renewal,
  plan_type,
  may_manage,
}: AccountSummary): string {
  const isPersonal = payer === 'personal'
  if (balance.total < 0) {
    return 'The balance is negative because of a refund or dispute. Credits that are added cover that first.'
  }
  const { name, per_seat } = planOf(plan_type)
  if (isPersonal && per_seat) {
    return `These are your personal credits. Your ${name} plan’s credits are in your organization’s pool.`
  }
  if (balance.available + balance.held === 0) {
    if (credits_on_the_way > 0) return 'They are added as soon as the payment is confirmed.'
    if (renewal) return renewalTexts[renewal]
    const whose = isPersonal ? 'You have' : 'Your organization has'
    const add = may_manage ? 'Add some' : 'Ask an administrator to add some'
    return balance.had_credits
      ? `${whose} no credits left. ${add} to go on using the assistant.`
      : `${whose} no credits yet. ${add} to start using the assistant.`
  }
  if (!isPersonal) return 'One pool for everyone with a seat. Plan credits are used first.'
  const order = plan_type === freePlan.plan_type ? '' : 'Plan credits are used first. '
  return `${order}Purchased credits never expire.`
}
