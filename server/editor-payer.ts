import type { EditorBalance } from '../schema/api/spending.ts'
import { lowBalanceCredits } from '../schema/catalogue/credits.ts'
import type { Owner } from '../schema/ledger/accounts.ts'
import { findNextExpiry } from '../schema/ledger/read/holds.ts'
import { availableOf, type SpendableBalance } from '../schema/ledger/spendable.ts'
import { findLiveSubscription, isRenewing } from '../schema/subscriptions/subscriptions.ts'
import type { Dependencies } from './dependencies.ts'
import {
  creditsHeld,
  insufficientCredits,
  payerNotFound,
  renewalInProgress,
  type ServerError,
} from './errors.ts'

export interface EditorPayer {
  /** As the extension names it: `personal` or the id of an organization. */
  readonly name: string
  readonly owner: Owner
  readonly may_buy: boolean
}

/** The payer. An organization in which the user has no seat is a 404, whether or not it exists. */
export async function findPayer(
  { editorCalls }: Pick<Dependencies, 'editorCalls'>,
  { payer, user_id }: { payer: string; user_id: string },
): Promise<EditorPayer> {
  const owner = ownerOf(payer, user_id)
  if (owner.owner_kind === 'user') return { name: payer, owner, may_buy: true }
  const role = await editorCalls.findSeat({ organization_id: payer, user_id })
  if (role === null) throw payerNotFound()
  return { name: payer, owner, may_buy: role === 'admin' }
}

export function ownerOf(payer: string, user_id: string): Owner {
  return payer === 'personal'
    ? { owner_kind: 'user', owner_id: user_id }
    : { owner_kind: 'organization', owner_id: payer }
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
  deps: Pick<Dependencies, 'db' | 'now' | 'settings'>,
  payer: EditorPayer,
  balance: SpendableBalance,
  required: number,
): Promise<ServerError> {
  const { available, held, plan, purchased } = presentBalance(payer.name, balance)
  const debt = Math.max(0, -plan - purchased)
  const isPersonal = payer.owner.owner_kind === 'user'
  const whose = isPersonal ? 'your personal balance' : 'the balance of your organization'
  const has = held > 0 ? `${number(available)} available and ${number(held)} reserved` : number(available)
  const reason =
    debt > 0
      ? `There is a debt of ${count(debt)} on ${whose}, which has to be paid back first.`
      : `This takes ${count(required)}, and ${whose} has ${has}.`
  const text = (remedy: string) => `Not enough credits. ${reason} ${remedy}`
  const details = {
    payer: payer.name,
    required,
    available,
    held,
    plan,
    purchased,
    debt,
    buy_url: `${deps.settings.app_url}${isPersonal ? '/billing?tab=credits' : '/organizations?tab=billing'}&payer=${payer.name}`,
  }
  if (availableOf(balance) + held >= required) {
    return creditsHeld(
      text('Please try again when other requests have finished.'),
      details,
      await secondsUntilExpiry(deps, payer.owner),
    )
  }
  const subscription = await findLiveSubscription(deps.db, payer.owner)
  if (await isRenewing(deps.db, subscription, deps.now())) {
    const renewal =
      'The plan is being renewed, and its credits come with the payment, usually within an hour.'
    return renewalInProgress(text(renewal), details)
  }
  const remedy = payer.may_buy
    ? 'Please buy more credits.'
    : 'Please ask an administrator of your organization to buy more credits.'
  return insufficientCredits(text(remedy), details)
}

/** Until the next open hold expires, from 1 to 60: most holds are settled long before they expire. */
export async function secondsUntilExpiry(
  { db, now }: Pick<Dependencies, 'db' | 'now'>,
  owner: Owner,
): Promise<number> {
  const expires_at = await findNextExpiry(db, owner)
  if (expires_at === null) return 60
  return Math.min(60, Math.max(1, Math.ceil((expires_at.getTime() - now().getTime()) / 1000)))
}

function count(credits: number): string {
  return `${number(credits)} ${credits === 1 ? 'credit' : 'credits'}`
}

function number(credits: number): string {
  return credits.toLocaleString('en-US')
}
