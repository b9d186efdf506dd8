import type { Router, RouterContext } from '@koa/router'
import { unitAmount } from '../billing/prices.ts'
import type { StoredLineItem, StoredSession } from '../entities.ts'
import { paySession } from '../payments/pay-session.ts'
import { returnUrl } from '../payments/return-url.ts'
import { readForm } from '../wire/form.ts'
import type { World } from '../world.ts'
import { type FieldErrors, readCheckoutForm, type Typed } from './checkout-form.ts'
import { checkoutPage } from './checkout-page.ts'
import { completedPage, expiredPage, notFoundPage, receiptPage } from './closed-pages.ts'
import { sendPage } from './send-page.ts'

/** The pages a buyer meets. */
export function checkoutPageRoutes(router: Router, world: World): void {
  const { store, clock, options } = world

  router.get('/c/pay/:id', (context) => {
    const session = store.checkout_sessions.get(context.params.id ?? '')
    if (session?.status !== 'open') return answerClosed(context, session)
    const known = session.customer_details
    const typed = {
      email: known?.email ?? '',
      name: known?.name ?? '',
      method: 'card',
      number: '',
      expiry: '',
    }
    answerOpen(context, session, { typed, errors: {}, declined: null })
  })

  router.post('/c/pay/:id', async (context) => {
    const form = await readForm(context.req)
    const session = store.checkout_sessions.get(context.params.id ?? '')
    if (!session || session.status === 'expired') return answerClosed(context, session)
    if (session.status === 'complete') return sendBack(context, session)
    const input = readCheckoutForm(session, form, clock.now())
    if (!input.ok) {
      context.status = 422
      return answerOpen(context, session, { ...input, declined: null })
    }
    const result = paySession(world, session.id, input)
    if (result.outcome !== 'declined') return sendBack(context, result.session)
    context.status = 402
    answerOpen(context, result.session, { typed: input.typed, errors: {}, declined: result.message })
  })

  router.get('/receipts/:id', (context) => {
    const charge = store.charges.get(context.params.id ?? '')
    context.status = charge ? 200 : 404
    sendPage(context, charge ? receiptPage(charge, options.business_name) : notFoundPage())
  })

  /** A second press of the button, here or in another tab, leads where the first one led. */
  function sendBack(context: RouterContext, session: StoredSession) {
    const url = returnUrl(session)
    if (session.status === 'expired' || url === null) return answerClosed(context, session)
    context.status = 303
    context.set('location', url)
  }

  function answerOpen(
    context: RouterContext,
    session: StoredSession,
    shown: { typed: Typed; errors: FieldErrors; declined: string | null },
  ) {
    const details = store.checkout_details.get(session.id)
    if (!details) throw new Error(`Session ${session.id} has no details.`)
    const productOf = (item: StoredLineItem) => store.products.get(item.price.product)
    const { business_name } = options
    const fullAmountOf = ({ price, quantity, currency }: StoredLineItem) =>
      unitAmount(world, price, currency) * (quantity ?? 1)
    const view = { business_name, session, details, productOf, fullAmountOf, ...shown }
    sendPage(context, checkoutPage(view))
  }

  function answerClosed(context: RouterContext, session: StoredSession | undefined) {
    context.status = session ? 200 : 404
    if (!session) sendPage(context, notFoundPage())
    else if (session.status === 'expired') sendPage(context, expiredPage(session, options.business_name))
    else sendPage(context, completedPage(session, options.business_name))
  }
}
