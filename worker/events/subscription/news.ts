import { customerDeclineText } from '../../../schema/api/declines.ts'
import type { News } from '../../../schema/mails/mails.ts'
import type { FetchedSubscription } from './fetch-subscription.ts'

const soonMs = 30 * 24 * 3600 * 1000

/** What the party that pays for a plan is told of it by e-mail. */
export function newsOf(
  { row, card }: FetchedSubscription,
  { owner_id, currency, now }: { readonly owner_id: string; readonly currency: string; readonly now: Date },
): News[] {
  const news: News[] = []
  const { unpaid_invoice_id: occasion, needs_confirmation, unpaid_decline_code } = row
  if (occasion && (needs_confirmation || row.unpaid_declined_at)) {
    const amount = ((row.unpaid_minor ?? 0) / 100).toLocaleString('en-US', { style: 'currency', currency })
    const again_on = row.unpaid_next_attempt_at?.toISOString() ?? null
    const figures = { amount, reason: customerDeclineText(unpaid_decline_code), again_on }
    const kind = needs_confirmation ? 'confirmation_needed' : 'payment_declined'
    news.push({ kind, owner_id, occasion, figures })
  }
  // A card is good until its month is over.
  if (card && !row.cancel_at && Date.UTC(card.exp_year, card.exp_month) - now.getTime() < soonMs) {
    const { last4, exp_month: month, exp_year: year } = card
    const figures = { last4, month, year }
    news.push({ kind: 'card_expires', owner_id, occasion: `${last4} ${year}-${month}`, figures })
  }
  return row.ended_at ? [] : news
}
