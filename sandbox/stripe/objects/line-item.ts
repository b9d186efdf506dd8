import type { StoredLineItem, StoredPrice } from '../entities.ts'
import { newId } from '../ids.ts'

/** One line of a checkout, priced in the session's currency. The price is copied: a later change does not reach it. */
export function newLineItem({
  price,
  currency,
  quantity,
  description,
  is_free = false,
}: {
  price: StoredPrice
  currency: string
  quantity: number
  description: string
  /** A trial: nothing of it is due today. */
  is_free?: boolean
}): StoredLineItem {
  const { currency_options, ...shown } = price
  const amount = is_free ? 0 : (currency_options[currency]?.unit_amount ?? 0) * quantity
  return {
    id: newId('li'),
    object: 'item',
    adjustable_quantity: null,
    amount_discount: 0,
    amount_subtotal: amount,
    amount_tax: 0,
    amount_total: amount,
    currency,
    description,
    metadata: {},
    price: shown,
    quantity,
  }
}
