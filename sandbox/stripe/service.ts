import type { Clock } from './clock.ts'
import type { Faults } from './knobs/faults.ts'
import type { StripeSandboxOptions } from './settings.ts'
import type { Store } from './store/store.ts'
import type { Deliverer } from './webhooks/deliverer.ts'

/** What every part of the sandbox works with. Passed as an argument, so that a test can run many side by side. */
export type Service = {
  store: Store
  clock: Clock
  deliverer: Deliverer
  faults: Faults
  options: StripeSandboxOptions
  /** Known once the port is. */
  public_url: () => string
}

/** The call that caused a change, as an event reports it; both null when nobody called (a buyer, the clock). */
export type Cause = { request_id: string | null; idempotency_key: string | null }

export const nobody: Cause = { request_id: null, idempotency_key: null }
