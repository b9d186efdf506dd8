import {
  choosePayer,
  choosePayerOfEditor,
  generateExtensionToken,
  getActiveExtensionToken,
  getExtensionBalance,
  listOwnPayers,
  listPayers,
  revokeAllExtensionTokens,
  revokeEditor,
  revokeExtensionToken,
  type SignedInEditor,
  signOutEditor,
} from '../../schema/api/extension.ts'
import { type Editors, editorOfScheme } from '../../schema/api/redirect-uri.ts'
import { reportUsage } from '../../schema/api/spending.ts'
import { freePlan } from '../../schema/catalogue/sold-plans.ts'
import { ratesOf } from '../../schema/catalogue/token-rates.ts'
import { retryTransaction } from '../../schema/database/retry.ts'
import {
  generateToken,
  type ListedToken,
  listActiveTokens,
  revokeToken,
  revokeTokens,
  setPayer,
} from '../../schema/extension/tokens.ts'
import { findOrCreateAccount } from '../auth/account.ts'
import { requireGoodAccount } from '../auth/account-status.ts'
import {
  findPayer,
  overBudget,
  ownerOf,
  presentBalance,
  presentBudget,
  refuseSpending,
  requireSeat,
} from '../editor-payer.ts'
import { refusal } from '../errors.ts'
import { Tagged } from '../etag.ts'
import { anyFailure } from '../failures.ts'
import { listPayersOf, suggestPayer } from '../list-payers.ts'
import { findSpender } from '../on-behalf-of.ts'
import { costOfCall } from '../price.ts'
import { oneself, oneselfOrSeatHolder, theOwner } from '../rights.ts'
import { route } from '../route.ts'

export const extensionRoutes = [
  route(getActiveExtensionToken, {
    rights: oneself,
  }).handle(async ({ user_id }, deps) => {
    const tokens = await listActiveTokens(deps.db, { user_id, now: deps.now() })
    const token = tokens.find(({ scheme }) => scheme === null)
    return {
      hasActive: token !== undefined,
      created_at: token?.created_at.toISOString() ?? null,
      expires_at: token?.expires_at.toISOString() ?? null,
      last_used_at: token?.last_used_at?.toISOString() ?? null,
      payer: token?.payer ?? null,
      editors: tokens.flatMap((token) => presentEditor(token, deps.settings.editors) ?? []),
    }
  }),

  route(generateExtensionToken, {
    rights: oneselfOrSeatHolder,
    failure: anyFailure('Failed to generate long-lived token', 'token_generation_failed'),
  }).handle(async ({ query: { payer }, user_id, session_id, requestLog }, deps) => {
    await requireGoodAccount(deps, { user_id, session_id }, requestLog)
    await findOrCreateAccount(deps, user_id)
    await findPayer(deps, { payer, user_id })
    const { access_token, expires_at } = await retryTransaction(deps.db, (trx) =>
      generateToken(trx, { user_id, payer, now: deps.now() }),
    ).finally(deps.editorTokens.forgetAll)
    return { access_token, expires_at: expires_at.toISOString() }
  }),

  route(revokeExtensionToken, {
    rights: oneself,
    failure: anyFailure('Failed to revoke token', 'token_revocation_failed'),
  }).handle(async ({ user_id }, deps) => {
    const which = { user_id, now: deps.now(), kind: 'generated' } as const
    const revoked = await revokeTokens(deps.db, which).finally(deps.editorTokens.forgetAll)
    return { success: true, revoked: revoked > 0 }
  }),

  route(revokeEditor, {
    rights: theOwner,
    failure: anyFailure('Failed to revoke the editor', 'token_revocation_failed'),
  }).handle(async ({ body: { id }, user_id }, deps) => {
    const which = { user_id, id, now: deps.now() }
    if (!(await revokeToken(deps.db, which).finally(deps.editorTokens.forgetAll)))
      throw refusal('editor_not_found')
    return { success: true }
  }),

  route(revokeAllExtensionTokens, {
    rights: oneself,
    failure: anyFailure('Failed to revoke all tokens', 'token_revocation_failed'),
  }).handle(async ({ user_id }, deps) => ({
    success: true,
    revoked: await revokeTokens(deps.db, { user_id, now: deps.now() }).finally(deps.editorTokens.forgetAll),
  })),

  route(signOutEditor, { rights: oneself }).handle(async ({ user_id, editor_token_id }, deps) => {
    const which = { user_id, id: editor_token_id ?? '', now: deps.now() }
    await revokeToken(deps.db, which).finally(deps.editorTokens.forgetAll)
    return { success: true }
  }),

  route(listPayers, { rights: oneself }).handle(async ({ user_id, editor_token_id: token_id }, deps) => {
    const [payers, { payer }] = await Promise.all([
      listPayersOf(deps, user_id),
      deps.editorCalls.findPayer({ user_id, token_id, payer: null }),
    ])
    return { success: true, payers: payers.map((listed) => ({ ...listed, is_default: listed.id === payer })) }
  }),

  route(choosePayer, {
    rights: oneselfOrSeatHolder,
  }).handle(async ({ body: { payer }, user_id, editor_token_id }, deps) => {
    await findPayer(deps, { payer, user_id })
    const chosen = { user_id, id: editor_token_id ?? '', payer, now: deps.now() }
    // This server may have remembered a token that was revoked on another one.
    if (!(await setPayer(deps.db, chosen))) throw refusal('invalid_token')
    return { success: true, payer }
  }),

  route(listOwnPayers, { rights: oneself }).handle(async ({ query, user_id }, deps) => {
    const payers = await listPayersOf(deps, user_id)
    const suggested = suggestPayer(payers, query.payer)
    return {
      success: true,
      payers: payers.map((listed) => ({ ...listed, is_default: listed.id === suggested })),
    }
  }),

  route(choosePayerOfEditor, {
    rights: theOwner,
    failure: anyFailure('Failed to change who pays', 'payer_change_failed'),
  }).handle(async ({ body: { id = 'generated', payer }, user_id }, deps) => {
    await findPayer(deps, { payer, user_id })
    if (!(await setPayer(deps.db, { user_id, id, payer, now: deps.now() }))) throw refusal('editor_not_found')
    return { success: true, payer }
  }),

  route(getExtensionBalance, {
    rights: oneselfOrSeatHolder,
  }).handle(async ({ query: { payer: named }, user_id, editor_token_id: token_id }, deps) => {
    const balance = await deps.editorCalls.readBalance({
      user_id,
      token_id,
      payer: named ?? null,
      now: deps.now(),
    })
    const payer = await requireSeat(deps, { payer: named, user_id }, balance)
    const { version } = balance
    const owner_id = ownerOf(payer, user_id)
    const budget = balance.budget && presentBudget(balance.budget)
    const plan_type = balance.plan_type ?? freePlan.plan_type
    return new Tagged(
      { ...presentBalance(payer, balance), plan_type, version, as_of: deps.now().toISOString(), budget },
      // Plan, holds and budgets change without a ledger entry, and `personal` means another owner for each user.
      `${owner_id}.${version}.${balance.held}.${plan_type}.${budget ? `${budget.scope}${budget.limit}.${budget.spent}.${budget.resets_at}` : ''}`,
    )
  }),

  route(reportUsage, {
    rights: oneselfOrSeatHolder,
  }).handle(async (request, deps) => {
    const {
      payer: _payer,
      on_behalf_of,
      description,
      outcome,
      reason: failure,
      tokens,
      credits,
      ...labels
    } = request.body
    const spender = await findSpender(deps, request)
    const cost = costOfCall({ tokens, credits }, { rates: ratesOf(labels.model), ...spender })
    const required = credits ?? Math.ceil((cost.cost_thousandths ?? 0) / 1000)
    const payer = await findPayer(deps, { ...spender, required })
    const usage = await deps.editorCalls.spend({
      owner_id: payer.owner_id,
      ...labels,
      ...cost,
      failure,
      occurred_at: deps.now(),
      actor: spender.user_id,
      operator_key_id: spender.operator_key_id,
      token_id: spender.editor_token_id,
      reason: description,
    })
    if (usage.budget) throw overBudget(deps, payer, usage.budget)
    if (usage.outcome === 'refused') throw await refuseSpending(deps, payer, usage, required)
    return {
      success: true,
      charged: usage.charged,
      replayed: usage.outcome === 'replayed',
      balance: presentBalance(payer.name, usage),
    }
  }),
]

/** Null for the token that was generated. */
function presentEditor(
  { scheme, editor_name, ...token }: ListedToken,
  editors: Editors,
): SignedInEditor | null {
  if (scheme === null) return null
  return {
    ...token,
    editor: editorOfScheme(scheme, editors),
    name: editor_name,
    signed_in_at: token.created_at.toISOString(),
    last_used_at: token.last_used_at?.toISOString() ?? null,
    expires_at: token.expires_at.toISOString(),
  }
}
