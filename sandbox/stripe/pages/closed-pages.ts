import { type Html, html } from '../../kit/html.ts'
import { returnUrl } from '../entities/checkout-session.ts'
import { formatMoney } from '../entities/format.ts'
import type { StoredCharge, StoredSession } from '../state.ts'
import { type Page, sandboxBadge } from './layout.ts'

export function completedPage(session: StoredSession, businessName: string): Page {
  const is_unpaid = session.payment_status === 'unpaid'
  const url = returnUrl(session)
  return single({
    title: is_unpaid ? 'Your payment is being confirmed' : 'You have already paid',
    text: is_unpaid
      ? `Your bank has not confirmed this payment to ${businessName}. You do not need to do anything, and you cannot be charged twice.`
      : `This payment to ${businessName} is complete. You cannot be charged twice.`,
    rows: [
      ['Amount', money(session)],
      ['Email', session.customer_details?.email ?? '–'],
    ],
    action: url && html`<a class="action" href="${url}">Return to ${businessName}</a>`,
  })
}

export function expiredPage(session: StoredSession, businessName: string): Page {
  return single({
    title: 'This checkout has expired',
    text: `You were not charged. To buy, start again from ${businessName}.`,
    rows: [['Amount', money(session)]],
    action:
      session.cancel_url &&
      html`<a class="action" href="${session.cancel_url}">Return to ${businessName}</a>`,
  })
}

export function notFoundPage(title = 'There is no such checkout'): Page {
  return single({
    title,
    text: 'The link may be incomplete, or the sandbox was reset since it was made.',
    rows: [],
    action: null,
  })
}

export function receiptPage(charge: StoredCharge, businessName: string): Page {
  return single({
    title: `Receipt from ${businessName}`,
    text: 'Thank you.',
    rows: [
      ['Amount paid', formatMoney(charge)],
      ['Date', new Date(charge.created * 1000).toISOString().slice(0, 10)],
      ['Payment', charge.id],
    ],
    action: null,
  })
}

function money({ amount_total, currency }: StoredSession): string {
  return formatMoney({ amount: amount_total ?? 0, currency: currency ?? 'eur' })
}

type Single = {
  title: string
  text: string
  rows: [string, string][]
  action: Html | string | null
}

function single({ title, text, rows, action }: Single): Page {
  return {
    title,
    body: html`<div class="single"><main><h1>${title}</h1><p>${text}</p>
${rows.length > 0 ? html`<dl>${rows.map(([term, value]) => html`<div><dt>${term}</dt><dd>${value}</dd></div>`)}</dl>` : null}
${action}<p>${sandboxBadge}</p></main></div>`,
  }
}
