import {
  type ActStep,
  hasLapsed,
  listActSteps,
  needsApproval,
  passesCeiling,
  type SupportActRow,
} from '../../schema/support/acts.ts'
import { isAtTerminal, isOwn, mayNotBeOwn } from '../../schema/support/approval.ts'
import { type AuditRow, listAudit } from '../../schema/support/audit.ts'
import { hasFreshFactor, TokenRejectedError } from '../../schema/vendors/clerk/tokens.ts'
import type { WorkerDependencies } from '../dependencies.ts'
import { PermanentError } from '../errors.ts'

/** As long as a session token of Clerk's lives (https://clerk.com/docs/guides/sessions/session-tokens). */
const tokenLivesMs = 60_000
/** As Clerk's library allows. */
const clockSkewMs = 5000
/** An act has a few entries; one that fails often may have more. */
const entriesMax = 50

/**
 * Refuses an act unless living support staff asked for it, and a second one agreed where that is needed: the
 * server may have been taken over, so what it wrote is not believed. Throws PermanentError, and
 * ClerkUnavailableError while Clerk cannot be asked. A dry run changes nothing and is not examined.
 */
export async function requireAuthority(deps: WorkerDependencies, act: SupportActRow): Promise<void> {
  if (act.is_dry_run) return
  const proof = {
    entries: await listAudit(deps.db, { act_id: act.id }, { limit: entriesMax }),
    steps: await listActSteps(deps.db, act.id),
  }
  await requirePerson(deps, act, { step: 'requested', who: act.requested_by, ...proof })
  if (await passesCeiling(deps.db, act, deps.actLimits)) throw new PermanentError('over_ceiling')
  const { approved_by } = act
  if (approved_by === null) {
    if (await needsApproval(deps.db, act, { limits: deps.actLimits }))
      throw new PermanentError('not_approved')
    return
  }
  if (await hasLapsed(deps.db, act)) throw new PermanentError('approval_lapsed')
  await requirePerson(deps, act, { step: 'approved', who: approved_by, ...proof })
}

async function requirePerson(
  deps: WorkerDependencies,
  act: SupportActRow,
  claim: {
    readonly step: ActStep['step']
    readonly who: string
    readonly entries: readonly AuditRow[]
    readonly steps: readonly ActStep[]
  },
): Promise<void> {
  const { step, who, entries, steps } = claim
  if (!entries.some(({ actor, outcome }) => actor === who && outcome === step))
    throw new PermanentError('unproved', { who, step, by: 'audit_log' })
  // Only the login that owns the tables can write such a request; an approval needs a session.
  if (step === 'requested' && isAtTerminal(who)) return
  const shown = steps.find((one) => one.step === step)
  if (!shown || !(await isSessionOf(deps, who, shown)))
    throw new PermanentError('unproved', { who, step, by: 'session' })
  if (!(await deps.clerk.isSupportStaff(who))) throw new PermanentError('not_on_staff', { who })
  if (mayNotBeOwn(act) && (await isOwn(deps.clerk, who, act.owner_id)))
    throw new PermanentError('own_account', { who })
}

/** Whether Clerk signed it for the person, no longer before it was shown than a token lives, and they had proved who they are. */
async function isSessionOf(deps: WorkerDependencies, who: string, { token, at }: ActStep): Promise<boolean> {
  const expired_for_ms = Math.max(0, Date.now() - at.getTime()) + tokenLivesMs
  try {
    const verified = await deps.verifyToken(token, { expired_for_ms })
    const age_ms = at.getTime() - verified.issued_at.getTime()
    const isTimely = age_ms <= tokenLivesMs + clockSkewMs && age_ms >= -clockSkewMs
    return verified.user_id === who && isTimely && hasFreshFactor(verified, at)
  } catch (error) {
    if (error instanceof TokenRejectedError) return false
    throw error
  }
}
