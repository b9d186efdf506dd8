import type { Settings } from './settings.ts'
import type { Store } from './store.ts'
import type { Outbox } from './webhooks/outbox.ts'
import type { Sender } from './webhooks/sender.ts'

/** What every entity verb and route gets: how the stand-in is set up, what it knows, where its events go. */
export type Service = { settings: Settings; store: Store; outbox: Outbox; sender: Sender }
