import type { Router, RouterContext } from '@koa/router'
import { seeOther } from '../../kit/html.ts'
import type { Buyer } from '../entities/buyer-details.ts'
import { type PaymentMeans, returnUrl, savedCards } from '../entities/checkout-session.ts'
import { paySession } from '../entities/pay-session.ts'
import { debitTypeFor } from '../entities/payment-method.ts'
import { unitAmount } from '../entities/price.ts'
import type { Service } from '../service.ts'
import type { StoredLineItem, StoredPaymentMethod, StoredSession } from '../state.ts'
import { readForm } from '../wire/form.ts'
import { type FieldErrors, readBuyer, readCard, type Typed } from './card-form.ts'
import { checkoutPage } from './checkout-page.ts'
import { completedPage, expiredPage, notFoundPage, receiptPage } from './closed-pages.ts'
import { sendPage } from './layout.ts'

export function checkoutPageRoutes(router: Router, service: Service): void {
  const { store, clock, settings } = service

  /** A deleted customer can no longer pay. */
  const find = (context: RouterContext): StoredSession | undefined => {
    const session = store.checkout_sessions.get(context.params.id)
    return store.customers.get(session?.customer)?.deleted ? undefined : session
  }

  router.get('/c/pay/:id', (context) => {
    const session = find(context)
    if (session?.status !== 'open') return answerClosed(context, session)
    const known = session.customer_details
    const typed = {
      email: known?.email ?? '',
      name: known?.name ?? '',
      method: '',
      country: known?.address?.country ?? '',
      postal_code: known?.address?.postal_code ?? '',
      number: '',
      expiry: '',
    }
    answerOpen(context, session, { typed, errors: {}, declined: null })
  })

  router.post('/c/pay/:id', async (context) => {
    const form = await readForm(context.req)
    const session = find(context)
    if (!session || session.status === 'expired') return answerClosed(context, session)
    if (session.status === 'complete') return sendBack(context, session)
    const saved = savedCards(service, session)
    const input = readCheckoutForm({ session, saved, now_s: clock.now() }, form)
    if (!input.ok) {
      context.status = 422
      return answerOpen(context, session, { ...input, declined: null })
    }
    const result = paySession(service, session.id, input)
    if (result.outcome !== 'declined') return sendBack(context, result.session)
    context.status = 402
    answerOpen(context, result.session, { typed: input.typed, errors: {}, declined: result.message })
  })

  router.get('/receipts/:id', (context) => {
    const charge = store.charges.get(context.params.id)
    context.status = charge ? 200 : 404
    sendPage(context, charge ? receiptPage(charge, settings.businessName) : notFoundPage())
  })

  /** A second press of the button, here or in another tab, leads where the first one led. */
  function sendBack(context: RouterContext, session: StoredSession) {
    const url = returnUrl(session)
    if (session.status === 'expired' || url === null) return answerClosed(context, session)
    seeOther(context, url)
  }

  function answerOpen(
    context: RouterContext,
    session: StoredSession,
    shown: { typed: Typed; errors: FieldErrors; declined: string | null },
  ) {
    const details = store.checkout_details.get(session.id)
    if (!details) throw new Error(`Session ${session.id} has no details.`)
    const productOf = (item: StoredLineItem) => store.products.get(item.price.product)
    const { businessName } = settings
    const fullAmountOf = ({ price, quantity, currency }: StoredLineItem) =>
      unitAmount(service, price, currency) * (quantity ?? 1)
    const saved = savedCards(service, session)
    const view = { businessName, session, details, productOf, fullAmountOf, saved, ...shown }
    sendPage(context, checkoutPage(view))
  }

  function answerClosed(context: RouterContext, session: StoredSession | undefined) {
    context.status = session ? 200 : 404
    if (!session) sendPage(context, notFoundPage())
    else if (session.status === 'expired') sendPage(context, expiredPage(session, settings.businessName))
    else sendPage(context, completedPage(session, settings.businessName))
  }
}

export type FormResult =
  | { ok: true; typed: Typed; payer: Buyer; means: PaymentMeans }
  | { ok: false; typed: Typed; errors: FieldErrors }

/** Reads the payment form. Every field that is missing or wrong gets its own sentence. */
function readCheckoutForm(
  { session, saved, now_s }: { session: StoredSession; saved: StoredPaymentMethod[]; now_s: number },
  form: Record<string, unknown>,
): FormResult {
  const field = (name: string) => (typeof form[name] === 'string' ? form[name].trim().slice(0, 200) : '')
  const typed: Typed = {
    email: field('email'),
    method: field('method') || 'card',
    number: field('number'),
    expiry: field('expiry'),
    name: field('name'),
    country: field('country'),
    postal_code: field('postal_code'),
    business_name: field('business_name'),
    tax_id: field('tax_id'),
  }
  const errors: FieldErrors = {}
  if (typed.email === '') errors.email = 'Enter your email.'
  else if (!/^\S+@\S+\.\S+$/.test(typed.email)) errors.email = 'Your email is incomplete.'

  const buyer = readBuyer(session, { typed, has_agreed: field('terms') !== '', errors })
  const method = saved.find(({ id }) => id === typed.method)
  const read = method ? null : readMeans(session, { typed, cvc: field('cvc'), now_s, errors })
  const is_saved = field('save') !== ''
  const means: PaymentMeans | null = method
    ? { type: 'saved', method }
    : read?.type === 'card'
      ? { ...read, is_saved }
      : read
  if (!means || Object.keys(errors).length > 0) return { ok: false, typed, errors }
  return { ok: true, typed, means, payer: { ...buyer, email: typed.email, name: typed.name || null } }
}

function readMeans(
  session: StoredSession,
  { typed, cvc, now_s, errors }: { typed: Typed; cvc: string; now_s: number; errors: FieldErrors },
): PaymentMeans | null {
  const { currency, payment_method_types } = session
  if (typed.method === 'debit') {
    const debit = debitTypeFor(currency ?? '')
    if (debit && payment_method_types.includes(debit)) return { type: 'debit', debit }
  }
  if (typed.method !== 'card') {
    errors.method = 'Choose how to pay.'
    return null
  }
  const read = readCard({ typed, cvc, now_s, errors })
  return read && { type: 'card', ...read }
}
