import type Stripe from 'stripe'
import type { ClerkDirectory } from '../schema/clerk/directory.ts'
import type { OrganizationMaker } from '../schema/clerk/organizations.ts'
import type { Database } from '../schema/database/connect.ts'
import type { Logger } from '../schema/log.ts'
import type { QueueProducer } from '../schema/queues/producer.ts'
import type { WorkerMetrics } from './metrics.ts'

/** What a job is given; tests give it their own. */
export interface WorkerDependencies {
  readonly db: Database
  readonly stripe: Stripe
  readonly organizations: OrganizationMaker
  readonly clerk: ClerkDirectory
  readonly producer: Pick<QueueProducer, 'add' | 'countWaiting'>
  readonly log: Logger
  readonly metrics: WorkerMetrics
  readonly now: () => Date
  /** The application's address, to which the links in invitations lead. */
  readonly appUrl: string
  /** How old a row must be before the sweep enqueues it, in milliseconds. */
  readonly sweepAfterMs: number
  /** Credits that one support person may adjust without a second one. */
  readonly adjustmentLimit: number
  /** Whether the key of `stripe` is a live one. */
  readonly livemode: boolean
}
