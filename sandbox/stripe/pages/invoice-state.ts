import type { StoredInvoice } from '../entities.ts'

const states: Record<string, { text: string; tone: 'bad' | 'good' | '' }> = {
  open: { text: 'Unpaid', tone: 'bad' },
  paid: { text: 'Paid', tone: 'good' },
  uncollectible: { text: 'Uncollectible', tone: '' },
  void: { text: 'Void', tone: '' },
}

/** How an invoice stands, as its customer reads it. */
export function invoiceState({ status }: StoredInvoice): { text: string; tone: string } {
  return states[status ?? ''] ?? { text: 'Draft', tone: '' }
}
