import type Stripe from 'stripe'
import { z } from 'zod'
import type { Json } from '../../schema/database/types.ts'
import { findCursor, moveCursor } from '../../schema/inbox/cursors/cursors.ts'
import { eventTypeLabel } from '../../schema/inbox/event-type-label.ts'
import { listKnownEvents } from '../../schema/inbox/events.ts'
import { storeEvent } from '../../schema/inbox/store-event.ts'
import { listedEventTypes } from '../../schema/vendors/stripe/event-types.ts'
import { isMissing } from '../../schema/vendors/stripe/missing.ts'
import type { WorkerDependencies } from '../dependencies.ts'

const minuteMs = 60_000

/**
 * Read again before what was read last: Stripe does not promise that its list is complete up to the second.
 */
const overlapMs = 10 * minuteMs

/** Where the very first reading begins. */
const firstReachMs = 24 * 60 * minuteMs

/** Of an event this young the webhook may still be under way. */
const graceMs = minuteMs

/**
 * After an outage there may be hundreds of thousands of events: a run reads fifty thousand, and the next one
 * goes on.
 */
const defaultLimits = { page_size: 100, maximum_pages: 500 }

const positionSchema = z.object({
  /** Of the newest event that was compared: all that are older have been, too. */
  read_until: z.coerce.date(),
  /** A reading that the last run did not finish. The list is newest first, so what is left of it is older. */
  unfinished: z
    .object({
      began_at: z.coerce.date(),
      after_event_id: z.string(),
      newest_at: z.coerce.date().nullable(),
    })
    .nullable(),
})
type Position = z.infer<typeof positionSchema>

/**
 * Compares the inbox with Stripe's list of events, from the newest event that was seen last time and a little
 * before it. What never came by webhook is put into the inbox and enqueued, exactly as the webhook would have
 * done. Returns how many events were missing.
 */
export async function readStripeEvents(
  deps: WorkerDependencies,
  limits: typeof defaultLimits = defaultLimits,
): Promise<number> {
  const now = deps.now()
  const cursor = await findCursor(deps.db, 'stripe_events')
  let position: Position = cursor
    ? positionSchema.parse(cursor.position)
    : { read_until: new Date(now.getTime() - firstReachMs), unfinished: null }
  let revision: number | null = cursor?.revision ?? 0
  let missed = 0
  for (let page = 0; page < limits.maximum_pages; page += 1) {
    const { data, has_more } = await listEvents(deps, position, limits.page_size)
    missed += await receiveMissingOf(deps, data, now)
    const began_at = position.unfinished?.began_at ?? now
    const newest_at = position.unfinished?.newest_at ?? newestCompared(data, now)
    const last = data.at(-1)
    const isComplete = !has_more || last === undefined
    position = isComplete
      ? { read_until: laterOf(position.read_until, newest_at), unfinished: null }
      : { ...position, unfinished: { began_at, after_event_id: last.id, newest_at } }
    revision = await moveCursor(deps.db, 'stripe_events', {
      from_revision: revision,
      position: toJson(position),
      completed_at: isComplete ? began_at : null,
    })
    // Null: another worker is reading, and goes on from where it is.
    if (isComplete || revision === null) break
  }
  if (missed > 0) deps.log.warn({ missed }, 'Events had not come by webhook')
  return missed
}

async function listEvents(
  { stripe }: Pick<WorkerDependencies, 'stripe'>,
  { read_until, unfinished }: Position,
  limit: number,
): Promise<Pick<Stripe.ApiList<Stripe.Event>, 'data' | 'has_more'>> {
  const params = {
    types: listedEventTypes,
    created: { gte: Math.floor((read_until.getTime() - overlapMs) / 1000) },
    limit,
  }
  if (!unfinished) return stripe.events.list(params)
  try {
    return await stripe.events.list({ ...params, starting_after: unfinished.after_event_id })
  } catch (error) {
    // Events are gone after thirty days, and with this one everything that was older.
    if (isMissing(error)) return { data: [], has_more: false }
    throw error
  }
}

/** Receives those that are not in the inbox. Returns how many there were. */
async function receiveMissingOf(
  deps: WorkerDependencies,
  events: readonly Stripe.Event[],
  now: Date,
): Promise<number> {
  const ids = events.map(({ id }) => id)
  const known = await listKnownEvents(deps.db, { source: 'stripe', ids })
  const missing = events.filter((event) => !known.has(event.id) && isRipe(event, now)).reverse()
  let missed = 0
  for (const event of missing) missed += (await receiveMissing(deps, event, now)) ? 1 : 0
  return missed
}

async function receiveMissing(deps: WorkerDependencies, event: Stripe.Event, now: Date): Promise<boolean> {
  const stored = await storeEvent(deps.db, {
    source: 'stripe',
    id: event.id,
    type: event.type,
    payload: toJson(event),
    occurred_at: new Date(event.created * 1000),
    received_at: now,
    next_try_at: new Date(now.getTime() + deps.claimAfterMs),
    received_via: 'reader',
  })
  // It came by webhook while we were reading.
  if (!stored.is_new) return false
  deps.metrics.eventsMissed.inc({ type: eventTypeLabel({ source: 'stripe', type: event.type }) })
  await deps.producer
    .add('stripe-events', event.id, { event_id: event.id })
    .catch((error: unknown) =>
      deps.log.warn({ err: error, event_id: event.id }, 'Job not enqueued; its row will be claimed'),
    )
  return true
}

/** An event of the future is one of a sandbox whose clock was moved; nothing of it is under way. */
function isRipe(event: Stripe.Event, now: Date): boolean {
  return Math.abs(now.getTime() - event.created * 1000) >= graceMs
}

/**
 * Null when all of them are so young that they are compared by the next run. An event from ahead of our clock
 * is compared and passed by: there are young ones before it.
 */
function newestCompared(newestFirst: readonly Stripe.Event[], now: Date): Date | null {
  const newest = newestFirst.find(({ created }) => now.getTime() - created * 1000 >= graceMs)
  return newest ? new Date(newest.created * 1000) : null
}

function laterOf(one: Date, other: Date | null): Date {
  return other && other > one ? other : one
}

/** What is made of strings, numbers and dates, as JSON has it. */
function toJson(value: Position | Stripe.Event): Json {
  return value as unknown as Json
}
