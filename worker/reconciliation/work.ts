import { claimableIntents } from '../../schema/billing/checkout/intents.ts'
import { claimableSubscriptions } from '../../schema/billing/subscriptions/subscriptions.ts'
import type { Database } from '../../schema/database/connect.ts'
import { isOwnerId } from '../../schema/ledger/accounts.ts'
import { claimableInvitations } from '../../schema/people/invitations/invitations.ts'
import { inThisMode } from '../../schema/vendors/stripe/mode.ts'
import { type Candidate, type Comparison, replayOf } from './comparison.ts'

const minuteMs = 60_000

/** An event that waits for longer than this is not on its way any more. */
export const oldMs = 60 * minuteMs
/** A row that is due is claimed within seconds. */
const overdueMs = 10 * minuteMs
/** With more than that of one kind there is one cause, and these are enough to see it. */
const maximum = 500

/** No row waits for too long: every event is applied, and every row whose next try is due has a job. */
export const work: Comparison = {
  name: 'rows that wait',
  async step({ deps, now }) {
    const overdue = new Date(now.getTime() - overdueMs)
    const differences = [
      ...(await oldEvents(deps.db, { received: new Date(now.getTime() - oldMs), overdue })),
      ...(await overdueIntents(deps.db, overdue)),
      ...(await overdueSubscriptions(deps.db, overdue)),
      ...(await overdueInvitations(deps.db, overdue)),
    ]
    return { count: differences.length, differences, next: null }
  },
}

async function oldEvents(
  db: Database,
  before: { readonly received: Date; readonly overdue: Date },
): Promise<Candidate[]> {
  const rows = await db
    .selectFrom('inbox_events as e')
    .leftJoin('stripe_customers as customer', 'customer.customer_id', 'e.subject')
    .select(['e.id', 'e.source', 'e.type', 'e.received_at', 'e.next_try_at', 'e.last_error'])
    .select(['e.subject', 'customer.owner_id'])
    .where('e.finished_at', 'is', null)
    .where((eb) =>
      eb.or([eb('e.received_at', '<', before.received), eb('e.next_try_at', '<', before.overdue)]),
    )
    .orderBy('e.received_at')
    .limit(maximum)
    .execute()
  return rows.map((row): Candidate => {
    const { id, source, type, last_error, received_at } = row
    const sender = source === 'stripe' ? 'Stripe' : 'Clerk'
    const isOld = received_at < before.received
    return {
      kind: isOld ? 'event_unapplied' : 'work_overdue',
      object_id: id,
      owner_id: ownerOfEvent(row),
      sentence: isOld
        ? `An event of ${sender}’s has not been applied since ${toTheMinute(received_at)}`
        : `An event of ${sender}’s is due, and no job has it`,
      they_say: `${sender} sent ${type}.`,
      we_have: last_error ? `The last try failed: ${last_error}` : 'It has not been tried.',
      money: null,
      credits: null,
      repair: replayOf('event', id),
      advice: isOld
        ? 'A replay tries it now, and says why it fails.'
        : 'Check that a worker runs: it claims rows that are due every few seconds. A replay tries it now.',
    }
  })
}

function ownerOfEvent({
  subject,
  owner_id,
}: {
  readonly subject: string | null
  readonly owner_id: string | null
}): string | null {
  if (owner_id) return owner_id
  return subject !== null && isOwnerId(subject) ? subject : null
}

interface Overdue {
  readonly what: string
  readonly id: string
  readonly owner_id: string | null
  readonly last_error: string | null
  readonly next_try_at: Date | null
}

async function overdueIntents(db: Database, overdue: Date): Promise<Candidate[]> {
  const rows = await db
    .selectFrom('checkout_intents')
    .selectAll()
    .where(claimableIntents.unfinished)
    .where('next_try_at', '<', overdue)
    .where(inThisMode('checkout_intents'))
    .orderBy('next_try_at')
    .limit(maximum)
    .execute()
  return rows.map((row) => ({
    ...overdueRow({ what: 'checkout', ...row }),
    money: { amount_minor: row.amount_minor, currency: row.currency },
    credits: row.credits,
    repair: replayOf('intent', row.id),
  }))
}

async function overdueSubscriptions(db: Database, overdue: Date): Promise<Candidate[]> {
  const rows = await db
    .selectFrom('subscriptions')
    .selectAll()
    .where(claimableSubscriptions.unfinished)
    .where('next_try_at', '<', overdue)
    .where(inThisMode('subscriptions'))
    .orderBy('next_try_at')
    .limit(maximum)
    .execute()
  return rows.map((row) => ({
    ...overdueRow({ what: 'subscription', ...row, id: row.stripe_subscription_id }),
    repair: replayOf('subscription', row.stripe_subscription_id),
  }))
}

async function overdueInvitations(db: Database, overdue: Date): Promise<Candidate[]> {
  const rows = await db
    .selectFrom('team_invitations')
    .selectAll()
    .where(claimableInvitations.unfinished)
    .where('next_try_at', '<', overdue)
    .orderBy('next_try_at')
    .limit(maximum)
    .execute()
  return rows.map((row) => ({
    ...overdueRow({
      what: 'invitation',
      owner_id: row.organization_id,
      ...row,
    }),
    repair: replayOf('invitation', row.id),
  }))
}

function overdueRow({ what, id, owner_id, last_error, next_try_at }: Overdue): Omit<Candidate, 'repair'> {
  return {
    kind: 'work_overdue',
    object_id: id,
    owner_id,
    sentence: `A ${what} is due, and no job has it`,
    they_say: `It should have been looked at by ${next_try_at && toTheMinute(next_try_at)}.`,
    we_have: last_error ? `The last try failed: ${last_error}` : 'It has not been tried since.',
    money: null,
    credits: null,
    advice: 'Check that a worker runs: it claims rows that are due every few seconds. A replay tries it now.',
  }
}

/** A finding is read days after it was made, so it gives times and no ages. */
function toTheMinute(time: Date): string {
  return `${time.toISOString().slice(0, 16).replace('T', ' ')} UTC`
}
