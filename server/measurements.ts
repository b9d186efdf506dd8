import type { Gauge } from 'prom-client'
import { findingKinds } from '../schema/api/findings.ts'
import { limitedKinds } from '../schema/api/support-acts.ts'
import { claimableIntents } from '../schema/billing/checkout/intents.ts'
import { countFindings } from '../schema/billing/reconciliation/findings.ts'
import { findLastReconciled } from '../schema/billing/reconciliation/runs.ts'
import { claimableSubscriptions } from '../schema/billing/subscriptions/subscriptions.ts'
import { findLastBackups } from '../schema/database/backups.ts'
import type { Database } from '../schema/database/connect.ts'
import { findOldestUnapplied } from '../schema/inbox/backlog.ts'
import type { Claimable } from '../schema/inbox/claim/claimable.ts'
import { countAway } from '../schema/inbox/claim/record-try.ts'
import { findCursor } from '../schema/inbox/cursors/cursors.ts'
import { claimableEvents } from '../schema/inbox/events.ts'
import type { Producer } from '../schema/inbox/queues/producer.ts'
import { findLatestProof } from '../schema/ledger/read/proofs.ts'
import { countLateMails } from '../schema/mails/mails.ts'
import { claimableInvitations } from '../schema/people/invitations/invitations.ts'
import { claimableActs, countFailedActs, countUnfinishedActs, sumUnapproved } from '../schema/support/acts.ts'
import { countProblems } from '../schema/support/problems.ts'
import type { Settings } from './settings.ts'

interface Sources {
  readonly db: Database
  readonly producer: Producer
  readonly settings: Pick<Settings, 'act_limits'>
  readonly now: () => Date
}

/** A gauge that is read from the database or the queue whenever it is asked for. */
export interface Measurement {
  readonly name: string
  readonly help: string
  readonly labelNames?: string[]
  /** Sets nothing where there is nothing to say; then the gauge is left out. */
  measure(gauge: Gauge<string>, sources: Sources): Promise<void>
}

const claimable: Readonly<Record<string, Claimable>> = {
  event: claimableEvents,
  intent: claimableIntents,
  subscription: claimableSubscriptions,
  invitation: claimableInvitations,
  act: claimableActs,
}

/** More are not counted. */
const failedMax = 1000
const dayMs = 24 * 3600 * 1000

export const measurements: readonly Measurement[] = [
  {
    name: 'tidemark_inbox_oldest_unapplied_seconds',
    help: 'Age of the oldest event that is not finished',
    async measure(gauge, { db, now }) {
      const oldest = (await findOldestUnapplied(db))?.received_at ?? null
      gauge.set(oldest ? secondsSince(oldest, now()) : 0)
    },
  },
  {
    name: 'tidemark_failed_rows',
    help: 'Rows that were given up on and wait for a person, by what they are; acts of support, those of a day',
    labelNames: ['what'],
    async measure(gauge, { db, now }) {
      const counted = { stuck_before: now(), limit: failedMax, states: ['failed'] } as const
      for (const { kind, count } of await countProblems(db, counted)) gauge.set({ what: kind }, count)
      gauge.set({ what: 'act' }, await countFailedActs(db, new Date(now().getTime() - dayMs)))
    },
  },
  {
    name: 'tidemark_away_rows',
    help: 'Rows that have waited for Stripe, Clerk, the mail server or the database for more than an hour, by what they are',
    labelNames: ['what'],
    async measure(gauge, { db, now }) {
      const since = new Date(now().getTime() - dayMs / 24)
      for (const [what, rows] of Object.entries(claimable))
        gauge.set({ what }, await countAway(db, rows, since))
      gauge.set({ what: 'mail' }, await countLateMails(db))
    },
  },
  {
    // Left out until the first run was asked for, which a worker does as soon as it runs.
    name: 'tidemark_reconciled_seconds',
    help: 'Time since a comparison of Stripe, Clerk and us last came to its end',
    async measure(gauge, { db, now }) {
      const at = await findLastReconciled(db)
      if (at) gauge.set(secondsSince(at, now()))
    },
  },
  {
    // What is backed up in no way that we hear of is left out.
    name: 'tidemark_backup_age_seconds',
    help: 'Time since the database was last backed up whole (base), and since its log was last archived (log)',
    labelNames: ['what'],
    async measure(gauge, { db }) {
      for (const [what, at] of Object.entries(await findLastBackups(db))) {
        // By the clock of the machine: the product's may be the sandbox's.
        if (at) gauge.set({ what }, secondsSince(at, new Date()))
      }
    },
  },
  {
    // Left out until the first reading is complete.
    name: 'tidemark_events_reader_lag_seconds',
    help: "Time since the inbox was last known to hold everything in Stripe's list of events",
    async measure(gauge, { db, now }) {
      const completed_at = (await findCursor(db, 'stripe_events'))?.completed_at
      if (completed_at) gauge.set(secondsSince(completed_at, now()))
    },
  },
  {
    name: 'tidemark_reconciliation_findings',
    help: 'Open differences between Stripe, Clerk and us, by kind',
    labelNames: ['kind'],
    async measure(gauge, { db }) {
      const found = await countFindings(db)
      for (const kind of findingKinds) gauge.set({ kind }, 0)
      // A kind is counted once for each currency.
      for (const { kind, count } of found) gauge.inc({ kind }, count)
    },
  },
  {
    name: 'tidemark_support_acts_unfinished',
    help: 'Acts of support that wait for a second person (waiting_for_approval) or for the worker (queued)',
    labelNames: ['state'],
    async measure(gauge, { db }) {
      for (const [state, count] of Object.entries(await countUnfinishedActs(db))) gauge.set({ state }, count)
    },
  },
  {
    name: 'tidemark_support_unapproved_share',
    help: 'What support adjusted or refunded within a day without a second person, of SUPPORT_…_TOTAL, by kind of act',
    labelNames: ['kind'],
    async measure(gauge, { db, now, settings }) {
      for (const kind of limitedKinds) {
        const total = Math.max(1, settings.act_limits[kind].total)
        gauge.set({ kind }, (await sumUnapproved(db, kind, now())) / total)
      }
    },
  },
  {
    name: 'tidemark_ledger_proven_transfer',
    help: 'The last transfer that was proven, with the digest of the proof: a copy that the database cannot change',
    labelNames: ['digest'],
    async measure(gauge, { db }) {
      const proof = await findLatestProof(db)
      if (proof) gauge.set({ digest: proof.heads_digest.toString('hex') }, proof.transfer_id)
    },
  },
  {
    name: 'tidemark_queue_jobs',
    help: 'Jobs by queue and state',
    labelNames: ['queue', 'state'],
    async measure(gauge, { producer }) {
      for (const [queue, states] of Object.entries(await producer.counts())) {
        for (const [state, count] of Object.entries(states)) gauge.set({ queue, state }, count)
      }
    },
  },
]

function secondsSince(at: Date, now: Date): number {
  return Math.max(0, (now.getTime() - at.getTime()) / 1000)
}
