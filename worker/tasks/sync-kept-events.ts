import { z } from 'zod'
import { retryTransaction } from '../../schema/database/retry.ts'
import {
  type KeptEvent,
  listDueKeptEvents,
  markObjectSynced,
  postponeObjectSync,
} from '../../schema/inbox/kept-events.ts'
import type { WorkerDependencies } from '../dependencies.ts'
import { PermanentError } from '../errors.ts'
import { readClerkEvent } from '../events/clerk-event.ts'
import { prepareEvent } from '../events/prepare-event.ts'
import { readStripeEvent } from '../events/stripe-event.ts'
import { reasonOf } from '../failures.ts'

const batchSize = 20

/** The wait grows with the age of the event: from this … */
const shortestWaitMs = 30_000
/** … up to this; an event that is older than `givenUpAfterMs` is left to people. */
const longestWaitMs = 3600 * 1000
const givenUpAfterMs = 3 * 24 * 3600 * 1000

/**
 * An event that could not be stored as JSON stays failed, but what it is about is fetched and synced all the
 * same, by what the event says once everything that cannot be stored is taken out of it. Returns how many
 * objects were synced.
 */
export async function syncKeptEvents(deps: WorkerDependencies): Promise<number> {
  let synced = 0
  for (const kept of await listDueKeptEvents(deps.db, { now: deps.now(), limit: batchSize })) {
    const log = deps.log.child({ event_id: kept.id })
    try {
      await syncObject(deps, kept)
      synced += 1
      log.info('Fetched what a failed event is about')
    } catch (error) {
      const next_at = nextTry(error, kept, deps.now())
      const last_error = reasonOf(error)
      await postponeObjectSync(deps.db, kept, { last_error, next_at })
      log.error({ err: error, final: next_at === null }, 'What a failed event is about could not be fetched')
    }
  }
  return synced
}

/** Fetches what a kept event is about and makes our rows agree with it. */
export async function syncObject(deps: WorkerDependencies, kept: KeptEvent): Promise<void> {
  const event = storable(JSON.parse(kept.raw.toString('utf8')))
  const needs =
    kept.source === 'stripe'
      ? readStripeEvent(await withFreshSession(deps, event, kept.received_at), deps)
      : readClerkEvent(event)
  const apply = await prepareEvent(deps, needs)
  await retryTransaction(deps.db, async (trx) => {
    await apply(trx)
    await markObjectSynced(trx, kept)
  })
}

const stripeEventSchema = z.looseObject({
  type: z.string(),
  data: z.looseObject({ object: z.looseObject({}) }),
})

/**
 * A session in an event is believed, so the one in a damaged event is replaced by Stripe's own; everything
 * else is fetched anyway.
 */
async function withFreshSession(
  { stripe }: Pick<WorkerDependencies, 'stripe'>,
  payload: Storable,
  received_at: Date,
): Promise<Storable> {
  const event = stripeEventSchema.parse(payload)
  const created = Math.floor(received_at.getTime() / 1000)
  if (!event.type.startsWith('checkout.session.')) return { ...event, created } as Storable
  const { id } = z.object({ id: z.string() }).parse(event.data.object)
  const object = storable(await stripe.checkout.sessions.retrieve(id))
  return { ...event, created, data: { object } } as Storable
}

type Storable = string | number | boolean | null | Storable[] | { [key: string]: Storable }

/** Nothing that we use lies deeper. */
const deepestLevel = 32

/** A copy without what Postgres cannot store: NUL, halves of surrogate pairs, and levels without end. */
function storable(value: unknown, level = 0): Storable {
  if (typeof value === 'string') return storableText(value)
  if (typeof value !== 'object' || value === null) {
    return typeof value === 'number' || typeof value === 'boolean' ? value : null
  }
  if (level >= deepestLevel) return null
  if (Array.isArray(value)) return value.map((item) => storable(item, level + 1))
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [storableText(key), storable(item, level + 1)]),
  )
}

function storableText(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\uFFFD')
}

function nextTry(error: unknown, { received_at }: KeptEvent, now: Date): Date | null {
  const ageMs = now.getTime() - received_at.getTime()
  const isHopeless = error instanceof PermanentError || error instanceof z.ZodError
  if (isHopeless || ageMs > givenUpAfterMs) return null
  return new Date(now.getTime() + Math.min(Math.max(ageMs, shortestWaitMs), longestWaitMs))
}
