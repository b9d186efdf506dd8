import type { Faults } from '../kit/http.ts'
import type { Outbox } from '../kit/outbox.ts'
import type { Clock } from './clock.ts'
import type { Settings } from './settings.ts'
import type { State, StoredEvent } from './state.ts'
import type { Permissions } from './wire/permissions.ts'

/** The dependencies of every part. An argument, so that tests can run many sandboxes side by side. */
export type Service = {
  /** Test mode and live mode have objects of their own: https://docs.stripe.com/keys#test-live-modes */
  livemode: boolean
  otherMode(): Service
  store: State
  clock: Clock
  outbox: Outbox<StoredEvent>
  faults: Faults
  /** What restricted keys may do; one that is not here may do everything. In memory only. */
  restrictedKeys: Map<string, Permissions>
  settings: Settings
  /** Known once the port is. */
  publicUrl: string
}

/** The call that caused a change, as an event reports it; both null without a call (a buyer, the clock). */
export type Cause = { request_id: string | null; idempotency_key: string | null }

export const noCall: Cause = { request_id: null, idempotency_key: null }
