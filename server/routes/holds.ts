import {
  type EditorHold,
  extendHold,
  getHold,
  releaseHold,
  reserveCredits,
  settleHold,
} from '../../schema/api/holds.ts'
import { ratesOf } from '../../schema/catalogue/token-rates.ts'
import { kindOf } from '../../schema/ledger/accounts.ts'
import type { FoundHold } from '../../schema/ledger/read/holds.ts'
import { holdsOfPersonMax } from '../../schema/ledger/read/open-holds.ts'
import type { Hold, SpendOutcome } from '../../schema/ledger/spend/usage.ts'
import type { Dependencies } from '../dependencies.ts'
import { findPayer, overBudget, presentBalance, refuseSpending, secondsUntilExpiry } from '../editor-payer.ts'
import { refusal, ServerError } from '../errors.ts'
import { findSpender } from '../on-behalf-of.ts'
import { costOfCall, priceOf } from '../price.ts'
import { oneselfOrSeatHolder, theOwner } from '../rights.ts'
import { route } from '../route.ts'

export const holdsRoutes = [
  route(reserveCredits, {
    rights: oneselfOrSeatHolder,
  }).handle(async (request, deps) => {
    const {
      payer: _,
      on_behalf_of,
      description,
      expires_in,
      run,
      credits: given,
      tokens,
      ...asked
    } = request.body
    const spender = await findSpender(deps, request)
    const rates = ratesOf(asked.model)
    const credits = given ?? Math.ceil(priceOf(tokens, { rates, ...spender }) / 1000)
    const required = asked.at_least ?? credits
    const payer = await findPayer(deps, { ...spender, required })
    const outcome = await deps.editorCalls.spend({
      owner_id: payer.owner_id,
      ...asked,
      credits,
      ...(spender.operator_key_id !== null && { rates }),
      action: 'reserve',
      ...(typeof run === 'object' ? { run: run.id, run_limit: run.limit } : { run }),
      occurred_at: deps.now(),
      actor: spender.user_id,
      operator_key_id: spender.operator_key_id,
      token_id: spender.editor_token_id,
      reason: description,
      lasting_s: expires_in * 60,
    })
    if (outcome.budget) throw overBudget(deps, payer, outcome.budget)
    if (outcome.outcome === 'refused') throw await refuseSpending(deps, payer, outcome, required)
    if (outcome.outcome === 'too_many') {
      const text = `You have ${holdsOfPersonMax} open reservations of credits, which is the maximum. Please try again when other requests have finished.`
      const retry_after_s = await secondsUntilExpiry(deps, payer.owner_id)
      throw new ServerError(429, 'too_many_holds', text, { retry_after_s })
    }
    return {
      success: true,
      hold: presentHold(requireDone(outcome)),
      replayed: outcome.outcome === 'replayed',
      balance: presentBalance(payer.name, outcome),
    }
  }),

  route(getHold, { rights: theOwner }).handle(async (request, deps) => {
    const { hold } = await findOwnHold(deps, request)
    const isOver = hold.state === 'open' && hold.expires_at <= deps.now()
    return { success: true, hold: presentHold(isOver ? { ...hold, state: 'expired' } : hold) }
  }),

  route(extendHold, { rights: theOwner }).handle(async (request, deps) => {
    const { payer, asked } = await findOwnHold(deps, request)
    await findPayer(deps, { payer, user_id: asked.actor })
    const lasting_s = request.body.expires_in * 60
    const outcome = await deps.editorCalls.spend({ ...asked, action: 'extend', lasting_s })
    return {
      success: true,
      hold: presentHold(requireDone(outcome)),
      balance: presentBalance(payer, outcome),
    }
  }),

  route(settleHold, { rights: theOwner }).handle(async (request, deps) => {
    const { payer, asked, hold: opened } = await findOwnHold(deps, request)
    const { reason: failure } = request.body
    const may_spend = await maySpend(deps, payer, asked.actor)
    const cost = costOfCall(request.body, { rates: opened.rates, operator_key_id: asked.operator_key_id })
    const outcome = await deps.editorCalls.spend({ ...asked, ...cost, action: 'settle', failure, may_spend })
    const hold = requireDone(outcome)
    const { charged } = outcome
    return {
      success: true,
      charged,
      released: Math.max(0, hold.credits - charged),
      uncollected: (hold.settled_credits ?? charged) - charged,
      late: hold.state === 'settled_late',
      replayed: outcome.outcome === 'replayed',
      balance: presentBalance(payer, outcome),
    }
  }),

  route(releaseHold, { rights: theOwner }).handle(async (request, deps) => {
    const { payer, asked } = await findOwnHold(deps, request)
    const outcome = await deps.editorCalls.spend({ ...asked, action: 'release' })
    return {
      success: true,
      released: requireDone(outcome).credits,
      replayed: outcome.outcome === 'replayed',
      balance: presentBalance(payer, outcome),
    }
  }),
]

/** Whether a usage of theirs would be taken of this payer: of an organization only with a seat. */
async function maySpend(deps: Dependencies, payer: string, user_id: string): Promise<boolean> {
  if (payer === 'personal') return true
  const { seat_role } = await deps.editorCalls.findPayer({ user_id, token_id: null, payer })
  return seat_role !== null
}

/**
 * The caller's hold, its payer, and what every question to the ledger about it has. The person needs no seat,
 * nor a sign-in where the operator's key opened it: what was reserved for a request is settled also afterwards.
 */
async function findOwnHold(
  { editorCalls, now }: Pick<Dependencies, 'editorCalls' | 'now'>,
  {
    params: { id: hold_id },
    user_id,
    operator_key_id,
  }: {
    readonly params: { readonly id: string }
    readonly user_id: string | null
    readonly operator_key_id: string | null
  },
) {
  const hold = await editorCalls.findHold({ hold_id, actor: user_id, operator_key_id })
  if (!hold) throw refusal('hold_not_found')
  const { owner_id, actor } = hold
  return {
    hold,
    payer: payerOf(hold),
    asked: { owner_id, hold_id, actor, operator_key_id, occurred_at: now() },
  }
}

function payerOf({ owner_id }: FoundHold): string {
  return kindOf(owner_id) === 'user' ? 'personal' : owner_id
}

/** The hold after what was asked for, or the error that says why that was not possible. */
function requireDone({ outcome, hold }: SpendOutcome): Hold {
  if (outcome === 'settled' || outcome === 'released' || outcome === 'expired')
    throw refusal(`hold_${outcome}`)
  if (!hold) throw refusal('hold_not_found')
  return hold
}

function presentHold({ id, state, credits, expires_at }: Hold): EditorHold {
  return { id, state, credits, expires_at: expires_at.toISOString() }
}
