import {
  generateExtensionToken,
  getActiveExtensionToken,
  getExtensionBalance,
  reportUsage,
  revokeAllExtensionTokens,
  revokeEditor,
  revokeExtensionToken,
  type SignedInEditor,
  signOutEditor,
} from '../../schema/api/extension.ts'
import { editorOfScheme } from '../../schema/api/redirect-uri.ts'
import type { EditorBalance } from '../../schema/api/spending.ts'
import { lowBalanceCredits } from '../../schema/catalogue/credits.ts'
import { retryTransaction } from '../../schema/database/retry.ts'
import {
  generateToken,
  type ListedToken,
  listActiveTokens,
  revokeToken,
  revokeTokens,
} from '../../schema/extension/tokens.ts'
import type { Owner } from '../../schema/ledger/accounts.ts'
import { findLiveSubscription, isRenewing } from '../../schema/subscriptions/subscriptions.ts'
import { requireGoodAccount } from '../auth/account-status.ts'
import { findOrCreateAccount } from '../auth/own-account.ts'
import type { Dependencies } from '../dependencies.ts'
import {
  editorNotFound,
  insufficientCredits,
  payerNotFound,
  renewalInProgress,
  type ServerError,
} from '../errors.ts'
import { Tagged } from '../etag.ts'
import { anyFailure } from '../failures.ts'
import { oneself, oneselfOrSeatHolder, theOwner } from '../rights.ts'
import { route } from '../route.ts'
import type { Settings } from '../settings.ts'

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
      editors: tokens.flatMap((token) => presentEditor(token) ?? []),
    }
  }),

  route(generateExtensionToken, {
    rights: oneself,
    failure: anyFailure('Failed to generate long-lived token', 'token_generation_failed'),
  }).handle(async ({ user_id, session_id, requestLog }, deps) => {
    await requireGoodAccount(deps, { user_id, session_id }, requestLog)
    await findOrCreateAccount(deps, user_id)
    const { access_token, expires_at } = await retryTransaction(deps.db, (trx) =>
      generateToken(trx, { user_id, now: deps.now() }),
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
    if (!(await revokeToken(deps.db, which).finally(deps.editorTokens.forgetAll))) throw editorNotFound()
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

  route(getExtensionBalance, {
    rights: oneselfOrSeatHolder,
  }).handle(async ({ query, user_id }, deps) => {
    const { payer } = query
    const owner = ownerOf(payer, user_id)
    const balance = await deps.editorCalls.readBalance({ ...owner, user_id })
    if (owner.owner_kind === 'organization' && balance.seat_role === null) throw payerNotFound()
    const { version } = balance
    const plan_type = balance.plan_type ?? 'starter'
    return new Tagged(
      { ...presentBalance(payer, balance), plan_type, version, as_of: deps.now().toISOString() },
      // A plan can change without a ledger entry, and `personal` means a different owner for each user.
      `${owner.owner_id}.${version}.${plan_type}`,
    )
  }),

  route(reportUsage, {
    rights: oneselfOrSeatHolder,
  }).handle(async ({ body, user_id, editor_token_id }, deps) => {
    const { payer: name, description, outcome: _, reason: failure, ...reported } = body
    const payer = await findPayer(deps, { payer: name, user_id })
    const usage = await deps.editorCalls.spend({
      ...payer.owner,
      ...reported,
      failure,
      occurred_at: deps.now(),
      actor: user_id,
      token_id: editor_token_id,
      reason: description,
    })
    if (usage.outcome === 'refused') {
      const subscription = await findLiveSubscription(deps.db, payer.owner)
      const is_renewing = await isRenewing(deps.db, subscription, deps.now())
      throw usageRefused(deps.settings, payer, { ...usage, required: body.credits, is_renewing })
    }
    return {
      success: true,
      charged: usage.charged,
      replayed: usage.outcome === 'replayed',
      balance: presentBalance(payer.name, usage),
    }
  }),
]

/** Null for the token that was generated. */
function presentEditor({ scheme, editor_name, ...token }: ListedToken): SignedInEditor | null {
  if (scheme === null) return null
  return {
    id: token.id,
    editor: editorOfScheme(scheme),
    name: editor_name,
    signed_in_at: token.created_at.toISOString(),
    last_used_at: token.last_used_at?.toISOString() ?? null,
    expires_at: token.expires_at.toISOString(),
  }
}

interface Payer {
  /** As the extension names it: `personal` or the id of an organization. */
  readonly name: string
  readonly owner: Owner
  readonly may_buy: boolean
}

/** The payer. An organization in which the user has no seat is a 404, whether or not it exists. */
async function findPayer(
  { editorCalls }: Pick<Dependencies, 'editorCalls'>,
  { payer, user_id }: { payer: string; user_id: string },
): Promise<Payer> {
  const owner = ownerOf(payer, user_id)
  if (owner.owner_kind === 'user') return { name: payer, owner, may_buy: true }
  const role = await editorCalls.findSeat({ organization_id: payer, user_id })
  if (role === null) throw payerNotFound()
  return { name: payer, owner, may_buy: role === 'admin' }
}

function ownerOf(payer: string, user_id: string): Owner {
  return payer === 'personal'
    ? { owner_kind: 'user', owner_id: user_id }
    : { owner_kind: 'organization', owner_id: payer }
}

interface Accounts {
  readonly plan: number
  readonly purchased: number
}

/** A balance for an editor. A debt on one account reduces the other, so the sum of both can be spent. */
function presentBalance(payer: string, { plan, purchased }: Accounts): EditorBalance {
  const available = Math.max(0, plan + purchased)
  return { payer, available, plan, purchased, low: available < lowBalanceCredits }
}

/** Says which payer has too few credits, how many, and where to buy more or what to wait for. */
function usageRefused(
  { app_url }: Pick<Settings, 'app_url'>,
  payer: Payer,
  {
    required,
    plan,
    purchased,
    is_renewing,
  }: Accounts & {
    readonly required: number
    readonly is_renewing: boolean
  },
): ServerError {
  const { available } = presentBalance(payer.name, { plan, purchased })
  const debt = Math.max(0, -plan - purchased)
  const isPersonal = payer.owner.owner_kind === 'user'
  const whose = isPersonal ? 'your personal balance' : 'the balance of your organization'
  const reason =
    debt > 0
      ? `There is a debt of ${count(debt)} on ${whose}, which has to be paid back first.`
      : `This takes ${count(required)}, and ${whose} has ${available.toLocaleString('en-US')}.`
  const remedy = payer.may_buy
    ? 'Please buy more credits.'
    : 'Please ask an administrator of your organization to buy more credits.'
  const renewal = 'The plan is being renewed, and its credits come with the payment, usually within an hour.'
  const refusal = is_renewing ? renewalInProgress : insufficientCredits
  return refusal(`Not enough credits. ${reason} ${is_renewing ? renewal : remedy}`, {
    payer: payer.name,
    required,
    available,
    plan,
    purchased,
    debt,
    buy_url: `${app_url}${isPersonal ? '/billing?tab=credits' : '/organizations?tab=billing'}&payer=${payer.name}`,
  })
}

function count(credits: number): string {
  return `${credits.toLocaleString('en-US')} ${credits === 1 ? 'credit' : 'credits'}`
}
