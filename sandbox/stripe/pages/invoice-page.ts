import { type Html, html } from '../../kit/html.ts'
import { formatDay, formatMoney } from '../entities/format.ts'
import type { StoredInvoice } from '../state.ts'
import { cardFields, type FieldErrors, type Typed, testCardHints } from './card-form.ts'
import { type Page, sandboxBadge, script } from './layout.ts'

export type InvoiceView = {
  invoice: StoredInvoice
  businessName: string
  typed: Pick<Typed, 'expiry' | 'name' | 'number'>
  errors: FieldErrors
  declined: string | null
}

/** An invoice as its customer sees it; one that is not paid can be paid here. */
export function invoicePage(view: InvoiceView): Page {
  const { invoice, businessName } = view
  const { currency, status } = invoice
  const money = (amount: number) => formatMoney({ amount, currency })
  const state = invoiceState(invoice)
  const is_open = status === 'open'
  return {
    title: `Invoice ${invoice.number} · ${businessName}`,
    script,
    body: html`<div class="invoice"><main>
<div class="business"><span class="mark" aria-hidden="true">${businessName.slice(0, 1).toUpperCase()}</span>${businessName}${sandboxBadge}</div>
<section class="owed" aria-label="Amount"><div><h1>${is_open ? 'To pay' : 'Invoice'}</h1><p>${money(is_open ? invoice.amount_remaining : invoice.total)}</p>
<span class="tag ${state.tone}">${state.text}</span></div></section>
<dl class="facts">${facts(invoice).map(([term, value]) => html`<div><dt>${term}</dt><dd>${value}</dd></div>`)}</dl>
<dl class="bill" aria-label="Lines">${invoice.lines.data.map((line) => html`<div><dt>${line.description}<small>${formatDay(line.period.start)} – ${formatDay(line.period.end)}</small></dt><dd>${money(line.amount)}</dd></div>`)}
<div><dt>Total</dt><dd>${money(invoice.total)}</dd></div>
${invoice.starting_balance !== 0 ? html`<div><dt>Credit balance</dt><dd>${money(invoice.starting_balance)}</dd></div>` : null}
<div class="due"><dt>${is_open ? 'Amount due' : 'Amount paid'}</dt><dd>${money(is_open ? invoice.amount_remaining : invoice.amount_paid)}</dd></div></dl>
${is_open ? payForm(view) : null}
</main></div>`,
  }
}

function facts(invoice: StoredInvoice): [string, string][] {
  const { number, customer_name, customer_email, created, status_transitions } = invoice
  const paid: [string, string][] =
    status_transitions.paid_at === null ? [] : [['Paid', formatDay(status_transitions.paid_at)]]
  return [
    ['Invoice number', number ?? ''],
    ['Date', formatDay(created)],
    ['To', customer_name ?? customer_email ?? '–'],
    ...paid,
  ]
}

function payForm({ invoice, typed, errors, declined }: InvoiceView): Html {
  const sum = formatMoney({ amount: invoice.amount_remaining, currency: invoice.currency })
  return html`<section class="block" aria-labelledby="pay"><h2 id="pay">Pay by card</h2>
${declined ? html`<p class="alert" role="alert">${declined}</p>` : null}
<form method="post" action="/i/${invoice.id}" novalidate>${cardFields({ typed, errors })}
<button type="submit">Pay ${sum}</button></form>${testCardHints}</section>`
}

const states: Record<string, { text: string; tone: 'bad' | 'good' | '' }> = {
  open: { text: 'Unpaid', tone: 'bad' },
  paid: { text: 'Paid', tone: 'good' },
  uncollectible: { text: 'Uncollectible', tone: '' },
  void: { text: 'Void', tone: '' },
}

export function invoiceState({ status }: StoredInvoice): { text: string; tone: string } {
  return states[status ?? ''] ?? { text: 'Draft', tone: '' }
}
