import {
  type ActStep,
  listActSteps,
  needsApproval,
  passesCeiling,
  type SupportActRow,
} from '../../schema/support/acts.ts'
import { isAtTerminal, isOwn, mayNotBeOwn } from '../../schema/support/approval.ts'
import { type AuditRow, listAudit } from '../../schema/support/audit.ts'
import { TokenRejectedError } from '../../schema/vendors/clerk/tokens.ts'
import type { WorkerDependencies } from '../dependencies.ts'
import { PermanentError } from '../errors.ts'

/** As long as a session token of Clerk's lives (https://clerk.com/docs/guides/sessions/session-tokens). */
const tokenLivesMs = 60_000
/** As Clerk's library allows. */
const clockSkewMs = 5000
const approvalLastsMs = 24 * 3600 * 1000
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
  if (await passesCeiling(deps.db, act, deps.actLimits))
    throw new PermanentError('It passes what may be done at once, or by all within a day')
  const { approved_by, approved_at } = act
  if (approved_by === null || approved_at === null) {
    if (await needsApproval(deps.db, act, { limits: deps.actLimits }))
      throw new PermanentError('A second person has to agree to it')
    return
  }
  // By the real time, as the database wrote it down: the sandbox may move the product's clock by months.
  if (Date.now() - approved_at.getTime() > approvalLastsMs)
    throw new PermanentError('It was approved more than a day ago, and has to be asked for again')
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
    throw new PermanentError(`The audit log does not say that ${who} ${step} it`)
  // Only the login that owns the tables can write such a request; an approval needs a session.
  if (step === 'requested' && isAtTerminal(who)) return
  const shown = steps.find((one) => one.step === step)
  if (!shown || !(await isSessionOf(deps, who, shown)))
    throw new PermanentError(`No session of ${who} proves that they ${step} it`)
  if (!(await deps.clerk.isSupportStaff(who)))
    throw new PermanentError(`${who} is not on the support staff any more`)
  if (mayNotBeOwn(act) && (await isOwn(deps.clerk, who, act.owner_id)))
    throw new PermanentError(`${who} cannot have a part in it: it is their own account or organization`)
}

/** Whether Clerk signed the token for the person, no longer before it was shown than a token lives. */
async function isSessionOf(deps: WorkerDependencies, who: string, { token, at }: ActStep): Promise<boolean> {
  const expired_for_ms = Math.max(0, Date.now() - at.getTime()) + tokenLivesMs
  try {
    const { user_id, issued_at } = await deps.verifyToken(token, { expired_for_ms })
    const age_ms = at.getTime() - issued_at.getTime()
    return user_id === who && age_ms <= tokenLivesMs + clockSkewMs && age_ms >= -clockSkewMs
  } catch (error) {
    if (error instanceof TokenRejectedError) return false
    throw error
  }
}
