import {
  type FindingRow,
  type FoundDifference,
  findOpenFinding,
} from '../../schema/billing/reconciliation/findings.ts'
import { findSubscription, isLive } from '../../schema/billing/subscriptions/subscriptions.ts'
import { isMissing } from '../../schema/vendors/stripe/missing.ts'
import type { WorkerDependencies } from '../dependencies.ts'
import { PermanentError } from '../errors.ts'
import { compareInvoices } from './invoices.ts'
import { compareLive } from './live-subscriptions.ts'
import { compareOwner } from './owners.ts'
import { compareSessions } from './sessions.ts'

/**
 * Compares once more before credits are adjusted for a finding: it stands until the next run, and its credits
 * may be back by then. Kinds whose repair fetches the object again are taken as the last run left them.
 */
export async function requireFinding(deps: WorkerDependencies, id: string): Promise<void> {
  const finding = await findOpenFinding(deps.db, id)
  const again = finding && ((await findAgain(deps, finding).catch(gone)) ?? [finding])
  const isThere = again?.some(
    ({ kind, object_id }) => kind === finding?.kind && object_id === finding.object_id,
  )
  if (!isThere) throw new PermanentError('not_found', { what: 'difference', id })
}

/** An object that Stripe does not have differs from nothing any more. */
function gone(error: unknown): readonly Found[] {
  if (isMissing(error)) return []
  throw error
}

type Found = Pick<FoundDifference, 'kind' | 'object_id'>

/** Null for kinds whose repair fetches the object again, and those that are about no owner's credits. */
async function findAgain(deps: WorkerDependencies, finding: FindingRow): Promise<readonly Found[] | null> {
  const { owner_id, object_id: id } = finding
  const { db, stripe } = deps
  if (owner_id === null) return null
  switch (finding.kind) {
    case 'credits_missing':
    case 'credits_too_many':
    case 'grant_unexplained':
    case 'adjustment_unexplained':
      return compareOwner(db, owner_id, deps.now())
    case 'session_not_settled':
    case 'settled_without_payment':
      return (await compareSessions(db, [await stripe.checkout.sessions.retrieve(id)])).differences
    case 'invoice_unknown':
    case 'invoice_differs':
      return (await compareInvoices(db, [await stripe.invoices.retrieve(id)], deps.now())).differences
    case 'subscription_gone': {
      const row = await findSubscription(db, id)
      return row && isLive(row) ? compareLive(deps, row) : []
    }
    default:
      return null
  }
}
