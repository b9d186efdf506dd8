import type { CaseSummary, SupportNotice } from '../../schema/api/support.ts'
import type { DatabaseTransaction } from '../../schema/database/connect.ts'
import type { Owner } from '../../schema/ledger/accounts.ts'
import { declineText } from '../../schema/stripe/declines.ts'
import { isOverdue } from '../../schema/subscriptions/subscriptions.ts'
import { listNoticeable, type NoticeableRows } from '../../schema/support/noticeable.ts'
import { capitalized, creditsText, dayText, durationText, maskEmail, moneyText } from './format.ts'
import { readSpendingNotices } from './spending-notices.ts'
import { tellDispute } from './trace-items.ts'

interface NoticeOptions {
  readonly subjects: readonly string[]
  readonly now: Date
  readonly spendable: CaseSummary['spendable']
}

/**
 * What explains a complaint although nothing is wrong with the credits: calls that are refused, a declined
 * card, a dispute, a payment made twice, an end that is near. In plain words, for the top of a case; the most
 * urgent first.
 */
export async function readNotices(
  trx: DatabaseTransaction,
  owner: Owner,
  { subjects, now, spendable }: NoticeOptions,
): Promise<SupportNotice[]> {
  const rows = await listNoticeable(trx, owner, { subjects, now })
  return [
    ...(await readSpendingNotices(trx, owner, spendable)),
    ...rows.subscriptions.flatMap(aboutSubscription),
    ...rows.charges.map(aboutDispute),
    ...rows.failed_refunds.map(aboutFailedRefund),
    ...rows.refused_invitations.map(aboutRefusedInvitation),
    ...rows.twice.map(aboutTwice),
    ...rows.failed_checkouts.map(aboutFailedCheckout),
  ]
}

function aboutSubscription(row: NoticeableRows['subscriptions'][number]): SupportNotice[] {
  const name = capitalized(row.plan_type)
  const item_key = `subscription:${row.stripe_subscription_id}`
  const ends = row.cancel_at ? [`${name} ends on ${dayText(row.cancel_at)}`] : []
  const isUnpaid = row.unpaid_minor !== null && row.unpaid_minor > 0
  if (isUnpaid || isOverdue(row)) {
    const sum = isUnpaid ? moneyText(row.unpaid_minor, row.currency) : 'The latest invoice'
    const why = row.needs_confirmation
      ? `${sum} waits for the customer to confirm it with the bank`
      : row.unpaid_decline_code
        ? `Card declined (${declineText(row.unpaid_decline_code)}): ${sum} is open`
        : `${sum} is not paid`
    const next = row.unpaid_next_attempt_at
      ? `Stripe tries again on ${dayText(row.unpaid_next_attempt_at)}`
      : 'Stripe does not try again'
    return [{ level: 'problem', sentence: `${[why, next, ...ends].join('; ')}.`, item_key }]
  }
  const isTrial = row.status === 'trialing' && row.trial_end
  if (isTrial && ends.length === 0)
    return [{ level: 'waiting', sentence: `${name} is in its trial until ${dayText(isTrial)}.`, item_key }]
  return ends.map((sentence) => ({ level: 'waiting', sentence: `${sentence}: it is cancelled.`, item_key }))
}

function aboutDispute(row: NoticeableRows['charges'][number]): SupportNotice {
  const sentence = `${tellDispute(row).join(' ')} It is about ${moneyText(row.amount_minor, row.currency)}.`
  return {
    level: row.dispute_state === 'open' ? 'problem' : 'waiting',
    sentence,
    item_key: `charge:${row.stripe_charge_id}`,
  }
}

function aboutFailedRefund({ id, at }: NoticeableRows['failed_refunds'][number]): SupportNotice {
  const sentence = `A refund failed on ${dayText(at)}: the money is still with us, and the credits are back.`
  return { level: 'problem', sentence, item_key: `event:${id}` }
}

function aboutTwice(row: NoticeableRows['twice'][number]): SupportNotice {
  const apart = durationText(row.settled_at.getTime() - row.earlier_at.getTime())
  const sum = `${creditsText(row.credits)} for ${moneyText(row.amount_minor, row.currency)}`
  const sentence = `Paid twice within ${apart}: ${sum}, on ${dayText(row.settled_at)}.`
  return { level: 'waiting', sentence, item_key: `intent:${row.id}` }
}

function aboutFailedCheckout(row: NoticeableRows['failed_checkouts'][number]): SupportNotice {
  const what = row.plan_type ? capitalized(row.plan_type) : creditsText(row.credits)
  const sentence = `The bank refused the payment for ${what} on ${dayText(row.updated_at)}; nothing was charged.`
  return { level: 'waiting', sentence, item_key: `intent:${row.id}` }
}

function aboutRefusedInvitation(row: NoticeableRows['refused_invitations'][number]): SupportNotice {
  const why =
    row.refusal_code === 'unavailable' ? 'Clerk did not answer' : `Clerk refused (${row.refusal_code})`
  const sentence = `Invitation of ${maskEmail(row.email)} failed on ${dayText(row.updated_at)}: ${why}. Its seat is free; an admin has to invite again.`
  return { level: 'problem', sentence, item_key: `invitation:${row.id}` }
}
