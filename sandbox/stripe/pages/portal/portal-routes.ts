import type { Router, RouterContext } from '@koa/router'
import { seeOther } from '../../../kit/html.ts'
import { changeDefaultCard } from '../../entities/customer.ts'
import { cancelLimit } from '../../entities/portal.ts'
import type { Service } from '../../service.ts'
import { readForm } from '../../wire/form.ts'
import { readCardForm } from '../card-form.ts'
import { notFoundPage } from '../closed-pages.ts'
import { sendPage } from '../layout.ts'
import { cancelPage, cardPage, overviewPage } from './overview-page.ts'
import { cancelPlan, keepPlan } from './portal-actions.ts'
import { type AddPlanPage, donePath, type PortalView, portalPath, portalView } from './portal-view.ts'
import { updateRoutes } from './update-routes.ts'

/** The pages of the billing portal. A forbidden step redirects to the overview. */
export function portalPageRoutes(router: Router, service: Service): void {
  const page = (
    name: `${'GET' | 'POST'} ${string}`,
    handler: (context: RouterContext, view: PortalView) => void | Promise<void>,
  ) => {
    const [method = '', path = ''] = name.split(' ')
    router.register(`/p/session/:id${path}`, [method], async (context) => {
      const view = portalView(service, context.params.id ?? '')
      if (view) return handler(context, view)
      context.status = 404
      sendPage(context, notFoundPage('There is no such billing page'))
    })
  }
  const planPage: AddPlanPage = (name, handler) => {
    const [method, step] = name.split(' ') as ['GET' | 'POST', string]
    page(`${method} /subscriptions/:subscription/${step}`, async (context, view) => {
      const subscription = view.subscriptions.find(({ id }) => id === context.params.subscription)
      if (subscription) return handler(context, view, subscription)
      seeOther(context, portalPath(view, '/overview'))
    })
  }

  page('GET ', (context, view) => seeOther(context, portalPath(view, startOf(view))))

  page('GET /overview', (context, view) =>
    sendPage(context, overviewPage(view, String(context.query.notice ?? ''))),
  )

  planPage('GET cancel', (context, view, subscription) => {
    const { enabled } = view.configuration.features.subscription_cancel
    const is_allowed = enabled && cancelLimit(service, subscription) === null
    if (!is_allowed || subscription.cancel_at !== null) {
      return seeOther(context, portalPath(view, '/overview'))
    }
    sendPage(context, cancelPage(view, subscription))
  })

  planPage('POST cancel', (context, view, subscription) => {
    const isCanceling = cancelPlan(view, subscription)
    seeOther(context, isCanceling ? donePath(view, 'canceling') : portalPath(view, '/overview'))
  })

  planPage('POST keep', (context, view, subscription) => {
    keepPlan(view, subscription)
    seeOther(context, portalPath(view, '/overview?notice=kept'))
  })

  page('GET /payment-method', (context, view) => {
    const typed = { number: '', expiry: '', name: view.customer.name ?? '' }
    sendPage(context, cardPage(view, { typed, errors: {}, declined: null }))
  })

  page('POST /payment-method', async (context, view) => {
    const { typed, errors, read } = readCardForm(await readForm(context.req), service.clock.now())
    const refuse = (status: number, declined: string | null) => {
      context.status = status
      sendPage(context, cardPage(view, { typed, errors, declined }))
    }
    if (!read) return refuse(422, null)
    if (read.card.decline) return refuse(402, read.card.decline.message)
    changeDefaultCard(service, { customer: view.customer, ...read, name: typed.name })
    const is_flow = view.session.flow?.type === 'payment_method_update'
    seeOther(context, is_flow ? donePath(view, 'card') : portalPath(view, '/overview?notice=card'))
  })

  updateRoutes(service, planPage)
}

function startOf({ session: { flow } }: PortalView): string {
  const { subscription_cancel, subscription_update_confirm } = flow ?? {}
  if (flow?.type === 'payment_method_update') return '/payment-method'
  if (subscription_cancel) return `/subscriptions/${subscription_cancel.subscription}/cancel`
  if (subscription_update_confirm) return `/subscriptions/${subscription_update_confirm.subscription}/confirm`
  return '/overview'
}
