import type { Router, RouterContext } from '@koa/router'
import { changeDefaultCard } from '../../entities/customer.ts'
import { cancelLimit } from '../../entities/portal.ts'
import type { Service } from '../../service.ts'
import { readForm } from '../../wire/form.ts'
import { type FieldErrors, readCard, textField } from '../card-form.ts'
import { notFoundPage } from '../closed-pages.ts'
import { sendPage } from '../layout.ts'
import { type CardPageState, cancelPage, cardPage, overviewPage } from './overview-page.ts'
import { cancelPlan, keepPlan } from './portal-actions.ts'
import { donePath, type PortalView, portalPath, portalView, seeOther, type WithPlan } from './portal-view.ts'
import { updateRoutes } from './update-routes.ts'

/** The pages of the billing portal. A forbidden step redirects to the overview. */
export function portalPageRoutes(router: Router, service: Service): void {
  const withView = (handler: (context: RouterContext, view: PortalView) => void | Promise<void>) => {
    return async (context: RouterContext) => {
      const view = portalView(service, context.params.id ?? '')
      if (view) return handler(context, view)
      context.status = 404
      sendPage(context, notFoundPage('There is no such billing page'))
    }
  }
  const withPlan: WithPlan = (handler) =>
    withView(async (context, view) => {
      const subscription = view.subscriptions.find(({ id }) => id === context.params.subscription)
      if (subscription) return handler(context, view, subscription)
      seeOther(context, portalPath(view, '/overview'))
    })

  router.get(
    '/p/session/:id',
    withView((context, view) => seeOther(context, portalPath(view, startOf(view)))),
  )

  router.get(
    '/p/session/:id/overview',
    withView((context, view) => sendPage(context, overviewPage(view, String(context.query.notice ?? '')))),
  )

  router.get(
    '/p/session/:id/subscriptions/:subscription/cancel',
    withPlan((context, view, subscription) => {
      const { enabled } = view.configuration.features.subscription_cancel
      const is_allowed = enabled && cancelLimit(service, subscription) === null
      if (!is_allowed || subscription.cancel_at !== null) {
        return seeOther(context, portalPath(view, '/overview'))
      }
      sendPage(context, cancelPage(view, subscription))
    }),
  )

  router.post(
    '/p/session/:id/subscriptions/:subscription/cancel',
    withPlan((context, view, subscription) => {
      const isCanceling = cancelPlan(view, subscription)
      seeOther(context, isCanceling ? donePath(view, 'canceling') : portalPath(view, '/overview'))
    }),
  )

  router.post(
    '/p/session/:id/subscriptions/:subscription/keep',
    withPlan((context, view, subscription) => {
      keepPlan(view, subscription)
      seeOther(context, portalPath(view, '/overview?notice=kept'))
    }),
  )

  router.get(
    '/p/session/:id/payment-method',
    withView((context, view) => {
      const typed = { number: '', expiry: '', name: view.customer.name ?? '' }
      sendPage(context, cardPage(view, { typed, errors: {}, declined: null }))
    }),
  )

  router.post(
    '/p/session/:id/payment-method',
    withView(async (context, view) => {
      const form = await readForm(context.req)
      const typed = {
        number: textField(form, 'number'),
        expiry: textField(form, 'expiry'),
        name: textField(form, 'name'),
      }
      const errors: FieldErrors = {}
      const cvc = textField(form, 'cvc')
      const read = readCard({ typed, cvc, now_s: service.clock.now(), errors })
      const refuse = (status: number, state: Omit<CardPageState, 'typed'>) => {
        context.status = status
        sendPage(context, cardPage(view, { typed, ...state }))
      }
      if (!read || Object.keys(errors).length > 0) return refuse(422, { errors, declined: null })
      if (read.card.decline) return refuse(402, { errors, declined: read.card.decline.message })
      changeDefaultCard(service, { customer: view.customer, ...read, name: typed.name })
      const is_flow = view.session.flow?.type === 'payment_method_update'
      seeOther(context, is_flow ? donePath(view, 'card') : portalPath(view, '/overview?notice=card'))
    }),
  )

  updateRoutes(router, service, withPlan)
}

function startOf({ session: { flow } }: PortalView): string {
  const { subscription_cancel, subscription_update, subscription_update_confirm } = flow ?? {}
  if (flow?.type === 'payment_method_update') return '/payment-method'
  if (subscription_cancel) return `/subscriptions/${subscription_cancel.subscription}/cancel`
  if (subscription_update) return `/subscriptions/${subscription_update.subscription}/update`
  if (subscription_update_confirm) return `/subscriptions/${subscription_update_confirm.subscription}/confirm`
  return '/overview'
}
