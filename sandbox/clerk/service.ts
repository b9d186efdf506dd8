import type { Faults } from '../kit/http.ts'
import type { DeliveryRule, Outbox } from '../kit/outbox.ts'
import type { CallQuota } from './entities/call-quota.ts'
import type { Instance, Settings } from './settings.ts'
import type { RenderEvent, State, WebhookEvent } from './state.ts'

/** The dependencies of every part. An argument, so that tests can run many sandboxes side by side. */
export type Service = {
  store: State
  outbox: Outbox<WebhookEvent>
  /** How events are delivered from now on; a restarted sandbox delivers them as usual. */
  deliveryRule: { current: DeliveryRule | null }
  renderEvent: RenderEvent
  faults: Faults
  /** The clock of invitations, which last for weeks. Sessions use the real time, as browsers do. */
  nowMs(): number
  settings: Settings
  /** As the dashboard would show it now. A restart sets it up as the settings say. */
  instance: Instance
  quotas: { invitations: CallQuota }
}
