import type { Faults } from '../kit/faults.ts'
import type { DeliveryRule, Outbox } from '../kit/outbox.ts'
import type { CallQuota } from './entities/call-quota.ts'
import type { Instance, Settings } from './settings.ts'
import type { RenderEvent, State, WebhookEvent } from './state.ts'

/**
 * What every part of the sandbox works with. Passed as an argument, so that a test can run many side by side.
 */
export type Service = {
  store: State
  outbox: Outbox<WebhookEvent>
  /** How events are delivered from now on; a restarted sandbox delivers them as usual. */
  deliveryRule: { current: DeliveryRule | null }
  renderEvent: RenderEvent
  faults: Faults
  /**
   * The time of what lasts for weeks: invitations. What a browser holds goes by the real time, as the browser
   * does.
   */
  nowMs(): number
  settings: Settings
  /** As the dashboard would show it now. A restart sets it up as the settings say. */
  instance: Instance
  quotas: { invitations: CallQuota; batches: CallQuota }
}
