import { renewalTexts } from '../schema/api/account.ts'
import type { EditorBalance, NearestBudget, OtherPayer } from '../schema/api/editor-balance.ts'
import type { SpendingRefusal } from '../schema/api/spending.ts'
import { findLiveSubscription, findRenewal } from '../schema/billing/subscriptions/subscriptions.ts'
import { lowBalanceCredits } from '../schema/catalogue/credits.ts'
import type { FoundPayer } from '../schema/extension/editor-payers.ts'
import { kindOf } from '../schema/ledger/accounts.ts'
import { findNextExpiry } from '../schema/ledger/read/holds.ts'
import type { NearestBudget as FoundBudget } from '../schema/ledger/spend/usage.ts'
import { availableOf, type SpendableBalance } from '../schema/ledger/spendable.ts'
import { listSeatsOf } from '../schema/people/seats/seats.ts'
import type { Dependencies } from './dependencies.ts'
import { refusal, ServerError } from './errors.ts'

export interface EditorPayer {
  /** As the extension names it: `personal` or the id of an organization. */
  readonly name: string
  readonly owner_id: string
  readonly user_id: string
  readonly may_buy: boolean
}

interface PayingCall {
  /** As the call names it; left out where the token's payer pays. */
  readonly payer: string | undefined
  readonly user_id: string
  readonly editor_token_id?: string | null
  /** The credits that the call takes; without them any balance will do. */
  readonly required?: number
}

/**
 * The payer that the call names, else that of its token. An organization in which the user has no seat is a
 * 404, whether or not it exists, and no other payer takes its place.
 */
export async function findPayer(
  deps: Pick<Dependencies, 'db' | 'editorCalls' | 'now'>,
  call: PayingCall,
): Promise<EditorPayer> {
  const { payer: named, user_id, editor_token_id: token_id = null } = call
  const found =
    named === 'personal'
      ? { payer: named, seat_role: null }
      : await deps.editorCalls.findPayer({ user_id, token_id, payer: named ?? null })
  const name = await requireSeat(deps, call, found)
  const may_buy = name === 'personal' || found.seat_role === 'admin'
  return { name, owner_id: ownerOf(name, user_id), user_id, may_buy }
}

/** The name of a payer that may pay. Throws when the token is gone, or the seat, with the ways on. */
export async function requireSeat(
  deps: Pick<Dependencies, 'db' | 'editorCalls' | 'now'>,
  { payer: named, user_id, required = 1 }: PayingCall,
  { payer, seat_role }: FoundPayer,
): Promise<string> {
  if (payer === null) throw refusal('invalid_token')
  if (payer === 'personal' || seat_role !== null) return payer
  const other_payers = await findOtherPayers(deps, { payer, user_id, required })
  const problem =
    named === undefined
      ? 'You have no seat any more in the organization that pays for this editor. Please choose who pays for it.'
      : 'You have no seat in an organization with this id.'
  throw new ServerError(404, 'payer_not_found', `${problem}${otherWays(other_payers)}`, {
    details: { payer, other_payers },
  })
}

/** Those of the user's payers that could pay so much now. Their names are Clerk's, which is not asked here. */
async function findOtherPayers(
  { db, editorCalls, now }: Pick<Dependencies, 'db' | 'editorCalls' | 'now'>,
  {
    payer,
    user_id,
    required,
  }: { readonly payer: string; readonly user_id: string; readonly required: number },
): Promise<OtherPayer[]> {
  const others = ['personal', ...(await listSeatsOf(db, user_id))].filter((id) => id !== payer)
  const found = await Promise.all(
    others.map(async (id) => {
      const balance = await editorCalls.readBalance({ user_id, token_id: null, payer: id, now: now() })
      const { budget } = balance
      const left = budget ? budget.credits - budget.used - budget.held : Number.POSITIVE_INFINITY
      return { id, available: Math.min(availableOf(balance), left) }
    }),
  )
  return found.filter(({ available }) => available >= Math.max(1, required))
}

/** A sentence, or nothing where there is no other way. */
function otherWays(others: readonly OtherPayer[]): string {
  if (others.length === 0) return ''
  const organizations = others.filter(({ id }) => id !== 'personal').length
  const ways = [
    ...(organizations < others.length ? ['your personal balance'] : []),
    ...(organizations > 0
      ? [organizations === 1 ? 'an organization' : `${organizations} organizations`]
      : []),
  ].join(' or ')
  const whose = organizations > 0 ? ' in which you have a seat' : ''
  return ` ${ways.charAt(0).toUpperCase()}${ways.slice(1)}${whose} could pay for this instead.`
}

export function ownerOf(payer: string, user_id: string): string {
  return payer === 'personal' ? user_id : payer
}

/** A balance for an editor. A debt on one account reduces the other, so the sum of both can be spent. */
export function presentBalance(payer: string, balance: SpendableBalance): EditorBalance {
  const { plan, purchased, held } = balance
  const available = availableOf(balance)
  const low = available + held < lowBalanceCredits
  return { payer, available: Math.max(0, available), held, plan, purchased, low }
}

/**
 * Says which payer has too few credits, how many, and what helps: to wait for holds to end, where they alone
 * stand in the way, or for the renewal of the plan, or to buy more.
 */
export async function refuseSpending(
  deps: Pick<Dependencies, 'db' | 'editorCalls' | 'now' | 'settings'>,
  payer: EditorPayer,
  balance: SpendableBalance,
  required: number,
): Promise<ServerError> {
  const { available, held, plan, purchased } = presentBalance(payer.name, balance)
  const debt = Math.max(0, -plan - purchased)
  const isPersonal = kindOf(payer.owner_id) === 'user'
  const whose = isPersonal ? 'your personal balance' : 'the balance of your organization'
  const has = held > 0 ? `${number(available)} available and ${number(held)} reserved` : number(available)
  const reason =
    debt > 0
      ? `There is a debt of ${count(debt)} on ${whose}, which has to be paid back first.`
      : `This takes ${count(required)}, and ${whose} has ${has}.`
  const other_payers = await findOtherPayers(deps, { payer: payer.name, user_id: payer.user_id, required })
  const text = (remedy: string) => `Not enough credits. ${reason} ${remedy}${otherWays(other_payers)}`
  const details: SpendingRefusal = {
    payer: payer.name,
    required,
    available,
    held,
    plan,
    purchased,
    debt,
    buy_url: `${deps.settings.app_url}${isPersonal ? '/billing?tab=credits' : '/organizations?tab=billing'}&payer=${payer.name}`,
    other_payers,
  }
  if (availableOf(balance) + held >= required) {
    const retry_after_s = await secondsUntilExpiry(deps, payer.owner_id)
    const wait = text('Please try again when other requests have finished.')
    return new ServerError(402, 'credits_held', wait, { details, retry_after_s })
  }
  const subscription = await findLiveSubscription(deps.db, payer.owner_id)
  const renewal = await findRenewal(deps.db, subscription, deps.now())
  if (renewal) {
    const message = text(renewalTexts[renewal])
    return new ServerError(402, 'renewal_in_progress', message, { details, retry_after_s: 60 })
  }
  const remedy = payer.may_buy
    ? 'Please buy more credits.'
    : 'Please ask an administrator of your organization to buy more credits.'
  return new ServerError(402, 'insufficient_credits', text(remedy), { details })
}

/** A limit that was set on spending, as editors are told it. */
export function presentBudget({ scope, credits, used, held, ends_on }: FoundBudget): NearestBudget {
  const resets_at = ends_on === null ? null : new Date(ends_on).toISOString()
  return { scope, limit: credits, spent: used, held, resets_at }
}

const limitedBy: Readonly<Record<NearestBudget['scope'], string>> = {
  organization: 'the limit of your organization',
  member_default: 'the limit that your organization sets each member',
  member: 'the limit that your organization has set you',
  own: 'the limit that you have set yourself',
  run: 'the limit of this run',
}

/** Says which limit has too little left, when it is reset, and where to ask for more. */
export function overBudget(
  { settings }: Pick<Dependencies, 'settings'>,
  { name }: EditorPayer,
  refused: FoundBudget,
): ServerError {
  const budget = presentBudget(refused)
  const { scope, limit, spent, held, resets_at } = budget
  const ask =
    refused.budget_id === null
      ? null
      : `${settings.app_url}/billing?tab=credits&payer=${name}&ask=${refused.budget_id}`
  const has = held > 0 ? `${number(spent)} spent and ${number(held)} reserved` : `${number(spent)} spent`
  const until = resets_at === null ? '' : ` It is reset on ${resets_at.slice(0, 10)}, 00:00 UTC.`
  const text = `This passes ${limitedBy[scope]}: ${count(limit)}, of which ${has}.${until}`
  return new ServerError(403, 'budget_exceeded', text, { details: { budget, ask } })
}

/** Until the next open hold expires, from 1 to 60: most holds are settled long before they expire. */
export async function secondsUntilExpiry(
  { db, now }: Pick<Dependencies, 'db' | 'now'>,
  owner_id: string,
): Promise<number> {
  const expires_at = await findNextExpiry(db, owner_id)
  if (expires_at === null) return 60
  return Math.min(60, Math.max(1, Math.ceil((expires_at.getTime() - now().getTime()) / 1000)))
}

function count(credits: number): string {
  return `${number(credits)} ${credits === 1 ? 'credit' : 'credits'}`
}

function number(credits: number): string {
  return credits.toLocaleString('en-US')
}
