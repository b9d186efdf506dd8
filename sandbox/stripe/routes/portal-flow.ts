import {
  cancelLimit,
  isListed,
  lacksTaxBehavior,
  type PortalFlow,
  unlistedPrice,
  unspecifiedTax,
  updateLimit,
} from '../entities/portal.ts'
import { changedItems, hasEnded } from '../entities/subscription.ts'
import { invalidRequest, noSuch } from '../errors.ts'
import type { Service } from '../service.ts'
import type { StoredPortalConfiguration, StoredSubscription } from '../state.ts'
import type { CreatePortalSessionParams } from '../wire/portal-params.ts'

type FlowData = CreatePortalSessionParams['flow_data']
type Surroundings = { customer: string; configuration: StoredPortalConfiguration }

/** The flow of a session. A flow that the configuration or subscription forbids is refused at once. */
export function readFlow(
  service: Service,
  { flow_data, ...around }: Surroundings & { flow_data: FlowData },
): PortalFlow | null {
  if (!flow_data) return null
  const flow: PortalFlow = {
    after_completion: afterCompletion(flow_data.after_completion),
    customer_update: null,
    subscription_cancel: null,
    subscription_pause: null,
    subscription_update: null,
    subscription_update_confirm: null,
    type: flow_data.type,
  }
  const { features } = around.configuration
  switch (flow_data.type) {
    case 'payment_method_update':
      allow(features.payment_method_update.enabled, 'payment_method_update')
      return flow
    case 'subscription_cancel': {
      allow(features.subscription_cancel.enabled, 'subscription_cancel')
      const subscription = subscriptionFor(service, flow_data, around)
      const { id, cancel_at } = subscription
      const limit = cancelLimit(service, subscription)
      if (limit) throw limit
      if (cancel_at !== null) {
        throw invalidRequest(`The subscription ${id} is already set to be canceled.`, { param: 'flow_data' })
      }
      return { ...flow, subscription_cancel: { retention: null, subscription: id } }
    }
    case 'subscription_update_confirm': {
      allow(features.subscription_update.enabled, 'subscription_update')
      const subscription = subscriptionFor(service, flow_data, around)
      const limit = updateLimit(service, subscription, around.configuration)
      if (limit) throw limit
      const items = flow_data.subscription_update_confirm?.items ?? []
      for (const item of items)
        checkItem(service, { item, subscription, configuration: around.configuration })
      return {
        ...flow,
        subscription_update_confirm: {
          discounts: null,
          items: items.map(({ id, price, quantity }) => ({
            id,
            price: price ?? null,
            ...(quantity !== undefined && { quantity }),
          })),
          subscription: subscription.id,
        },
      }
    }
  }
}

function allow(is_enabled: boolean, feature: string): void {
  if (is_enabled) return
  throw invalidRequest(
    `This flow cannot be used because the feature \`${feature}\` in the portal configuration is disabled.`,
    { param: 'flow_data[type]' },
  )
}

function subscriptionFor(
  { store }: Service,
  flow_data: NonNullable<FlowData>,
  { customer }: Surroundings,
): StoredSubscription {
  const named = flow_data[flow_data.type as 'subscription_cancel']?.subscription
  const param = `flow_data[${flow_data.type}][subscription]`
  if (named === undefined) {
    throw invalidRequest(`Missing required param: ${param}.`, { code: 'parameter_missing', param })
  }
  const subscription = store.subscriptions.get(named)
  if (subscription?.customer !== customer) throw noSuch('subscription', named, param)
  if (hasEnded(subscription)) {
    throw invalidRequest(`The subscription ${named} is ${subscription.status}.`, { param })
  }
  return subscription
}

type Item = NonNullable<NonNullable<FlowData>['subscription_update_confirm']>['items'][number]

function checkItem(
  service: Service,
  {
    item,
    subscription,
    configuration,
  }: { item: Item; subscription: StoredSubscription; configuration: StoredPortalConfiguration },
): void {
  const { default_allowed_updates } = configuration.features.subscription_update
  const param = 'flow_data[subscription_update_confirm][items][0]'
  const [before] = subscription.items.data.filter(({ id }) => id === item.id)
  const [after] = changedItems(service, subscription, [item]).filter(({ id }) => id === item.id)
  if (!before || !after) throw noSuch('subscription item', item.id, param)
  const has_other_price = before.price.id !== after.price.id
  if (!has_other_price && before.quantity === after.quantity) {
    throw invalidRequest('The update would change nothing of the subscription.', { param })
  }
  if (before.quantity !== after.quantity && !default_allowed_updates.includes('quantity')) {
    throw invalidRequest('The portal configuration does not allow to change the quantity.', { param })
  }
  if (lacksTaxBehavior(service, after.price, subscription.currency))
    throw unspecifiedTax(after.price.id, param)
  const is_offered = default_allowed_updates.includes('price') && isListed(configuration, after.price.id)
  if (has_other_price && !is_offered) throw unlistedPrice(after.price.id, param)
}

function afterCompletion(asked: NonNullable<FlowData>['after_completion']): PortalFlow['after_completion'] {
  return {
    hosted_confirmation: null,
    redirect: asked?.type === 'redirect' ? asked.redirect : null,
    type: asked?.type ?? 'portal_homepage',
  }
}
