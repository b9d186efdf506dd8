import type { RouterContext } from '@koa/router'
import { seeOther } from '../../../kit/html.ts'
import { updateLimit } from '../../entities/portal.ts'
import { periodOf } from '../../entities/subscription.ts'
import { nextPhase } from '../../entities/subscription-schedule.ts'
import { StripeFault } from '../../errors.ts'
import type { Service } from '../../service.ts'
import type { StoredSubscription } from '../../state.ts'
import { type Form, parseForm, readForm } from '../../wire/form.ts'
import { textField } from '../card-form.ts'
import { sendPage } from '../layout.ts'
import { changeInput, changePlan, isForLater } from './portal-actions.ts'
import { type AddPlanPage, donePath, type PortalView, portalPath } from './portal-view.ts'
import { type ConfirmedChange, confirmPage, offeredPrices, updatePage } from './update-pages.ts'

/** Changes of the plan: choice, preview, confirmation. */
export function updateRoutes(service: Service, planPage: AddPlanPage): void {
  planPage('GET update', (context, view, subscription) => {
    if (!isAllowed(view, subscription)) return seeOther(context, portalPath(view, '/overview'))
    const [item] = subscription.items.data
    const chosen = { price: item?.price.id ?? '', quantity: String(item?.quantity ?? 1) }
    sendPage(context, updatePage(view, { subscription, chosen, error: null }))
  })

  planPage('GET confirm', (context, view, subscription) => {
    if (!isAllowed(view, subscription)) return seeOther(context, portalPath(view, '/overview'))
    const read = readChange(view, { subscription, form: parseForm(context.querystring) })
    if (read.ok) return showConfirm(context, view, { subscription, change: read.change, declined: null })
    context.status = 422
    sendPage(context, updatePage(view, { subscription, ...read }))
  })

  planPage('POST confirm', async (context, view, subscription) => {
    const form = await readForm(context.req)
    if (isPlannedAlready(view, { subscription, form })) return seeOther(context, donePath(view, 'planned'))
    if (!isAllowed(view, subscription)) return seeOther(context, portalPath(view, '/overview'))
    const read = readChange(view, { subscription, form })
    // The button pressed twice: the second time nothing is left to change.
    if (!read.ok) return seeOther(context, donePath(view, 'updated'))
    try {
      seeOther(context, donePath(view, changePlan(view, subscription, read.change)))
    } catch (error) {
      if (!(error instanceof StripeFault)) throw error
      context.status = 402
      showConfirm(context, view, { subscription, change: read.change, declined: error.body.message })
    }
  })

  function showConfirm(
    context: RouterContext,
    view: PortalView,
    shown: { subscription: StoredSubscription; change: ConfirmedChange; declined: string | null },
  ) {
    const is_for_later = isForLater(view, shown.subscription, shown.change)
    const input = changeInput(view, shown.change)
    sendPage(context, confirmPage(view, { ...shown, input, is_for_later }))
  }

  type Read =
    | { ok: true; change: ConfirmedChange }
    | { ok: false; error: string; chosen: { price: string; quantity: string } }

  /** The change of a flow or the chosen one, within the configuration. */
  function readChange(
    view: PortalView,
    { subscription, form }: { subscription: StoredSubscription; form: Form },
  ): Read {
    const confirm = view.session.flow?.subscription_update_confirm?.items[0]
    const [first] = subscription.items.data
    const item = subscription.items.data.find(({ id }) => id === confirm?.id) ?? first
    if (!item) throw new Error(`Subscription ${subscription.id} has no items.`)
    const price = (confirm ? confirm.price : textField(form, 'price')) || item.price.id
    const text = confirm ? String(confirm.quantity ?? item.quantity) : textField(form, 'quantity')
    const quantity = Number(text || item.quantity)
    const chosen = { price, quantity: text || String(item.quantity) }
    const error = problemWith(view, { subscription, price, quantity, current: item.price.id })
    if (error) return { ok: false, error, chosen }
    if (price === item.price.id && quantity === item.quantity) {
      return { ok: false, error: 'This is your plan as it is. Choose another one to go on.', chosen }
    }
    return {
      ok: true,
      change: { item: item.id, price, quantity, proration_date: readMoment(form, subscription) },
    }
  }

  /** The button pressed twice: the change waits for the end of the period already. */
  function isPlannedAlready(
    view: PortalView,
    asked: { subscription: StoredSubscription; form: Form },
  ): boolean {
    const [planned] = nextPhase(service, asked.subscription)?.items ?? []
    const read = readChange(view, asked)
    return (
      planned !== undefined &&
      read.ok &&
      read.change.price === planned.price &&
      read.change.quantity === planned.quantity
    )
  }

  /** The moment of the preview, so that "Confirm" charges the shown amount. */
  function readMoment(form: Form, subscription: StoredSubscription): number {
    const now = service.clock.now()
    const asked = Number(textField(form, 'proration_date'))
    const { start } = periodOf(subscription)
    return Number.isInteger(asked) && asked >= start && asked <= now ? asked : now
  }
}

function problemWith(
  view: PortalView,
  {
    subscription,
    price,
    quantity,
    current,
  }: { subscription: StoredSubscription; price: string; quantity: number; current: string },
): string | null {
  const { products, default_allowed_updates } = view.configuration.features.subscription_update
  const limits = products?.find(({ prices }) => prices.includes(price))?.adjustable_quantity
  const least = limits?.minimum ?? 1
  const most = limits?.maximum ?? 999_999
  if (!offeredPrices(view, subscription).some(({ id }) => id === price)) return 'This plan is not offered.'
  if (price !== current && !default_allowed_updates.includes('price'))
    return 'The plan cannot be changed here.'
  if (!Number.isInteger(quantity)) return 'Enter a whole number.'
  if (quantity < least) return `Enter at least ${least}.`
  return quantity > most ? `Enter at most ${most}.` : null
}

function isAllowed({ configuration, service }: PortalView, subscription: StoredSubscription): boolean {
  const { enabled } = configuration.features.subscription_update
  return enabled && updateLimit(service, subscription, configuration) === null
}
