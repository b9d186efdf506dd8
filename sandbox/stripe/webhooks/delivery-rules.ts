import type { DeliveryRule } from '../state.ts'
import type { Store } from '../store/store.ts'

const normal: DeliveryRule = { mode: 'normal', copies: 1, delay_ms: 0, types: null }

/** The rule for events of this type: of those that name the type the newest, else the general one. */
export function deliveryRuleFor(store: Store, type: string): DeliveryRule {
  const rules = store.settings.get('settings')?.delivery_rules ?? []
  return (
    rules.findLast((rule) => rule.types?.includes(type)) ?? rules.findLast((rule) => !rule.types) ?? normal
  )
}

/** A general rule replaces all others; a rule for some types is added to them. */
export function addDeliveryRule(store: Store, rule: DeliveryRule): DeliveryRule[] {
  const settings = store.settings.get('settings')
  const delivery_rules = rule.types ? [...(settings?.delivery_rules ?? []), rule] : [rule]
  store.settings.put({ id: 'settings', clock_offset_ms: settings?.clock_offset_ms ?? 0, delivery_rules })
  return delivery_rules
}
