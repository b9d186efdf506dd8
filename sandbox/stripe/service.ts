import type { Faults } from '../kit/faults.ts'
import type { Outbox } from '../kit/outbox.ts'
import type { Clock } from './clock.ts'
import type { Settings } from './settings.ts'
import type { State, StoredEvent } from './state.ts'

/**
 * What every part of the sandbox works with. Passed as an argument, so that a test can run many side by side.
 */
export type Service = {
  /** Test mode and live mode have objects of their own: https://docs.stripe.com/keys#test-live-modes */
  livemode: boolean
  otherMode(): Service
  store: State
  clock: Clock
  outbox: Outbox<StoredEvent>
  faults: Faults
  /**
   * Ids of events that are not in the list yet: Stripe does not say that it is complete up to the second. In
   * memory only.
   */
  unlistedEvents: Set<string>
  settings: Settings
  /** Known once the port is. */
  publicUrl: string
}

/** The call that caused a change, as an event reports it; both null without a call (a buyer, the clock). */
export type Cause = { request_id: string | null; idempotency_key: string | null }

export const noCall: Cause = { request_id: null, idempotency_key: null }
