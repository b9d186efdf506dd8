import { randomUUID } from 'node:crypto'
import { getOrganizationSeats } from '../../schema/api/organization-seats.ts'
import { getOrganizationCredits } from '../../schema/api/organizations.ts'
import { getUser, initializeUser } from '../../schema/api/users.ts'
import { type Person, signUp, tokenOf } from '../support/services/clerk.ts'
import type { FaultyProduct } from './faulty-product.ts'
import {
  type Belongings,
  type Budget,
  type Funds,
  nothingReserved,
  type Reserved,
  type SeatChange,
  type Usage,
} from './model.ts'
import type { Report, Settled } from './model-holds.ts'
import type { Currency, OwnerHistory } from './owner-history.ts'

/** A person who lives through a history, alone or as the admin of a team, with what the player itself did. */
export interface Owner {
  readonly kind: 'user' | 'team'
  readonly currency: Currency
  readonly person: Person
  /** The team's; null until its first plan has been settled. */
  organization_id: string | null
  readonly born_at: number
  /** Checkouts by their sessions, and plans that support made at Stripe by their subscriptions. */
  readonly sessions: {
    readonly id: string
    readonly buys: 'plan' | 'credits' | 'made_by_hand'
    readonly credits: number
  }[]
  /** By subscription, in the order of creation. */
  readonly seatChanges: Map<string, PlayedSeatChange[]>
  readonly usages: Usage[]
  reserved: Reserved
  /** By hold. */
  readonly settlements: Map<string, Settled>
  readonly editorOf: Map<string, string>
  /** The tokens of the editors that reserve: the person's, and a colleague's in a team. */
  readonly editors: readonly string[]
  readonly colleague: string
  /** The operator's. */
  readonly keys: readonly string[]
  readonly spending: {
    budgets: readonly Budget[]
    /** What was reported and charged. */
    readonly used: Report[]
  }
  /** What support was asked for, and the credits of its adjustments, below zero when they were taken. */
  readonly acts: string[]
  readonly adjustments: number[]
  /** Sessions of a plan whose pages were handed out. */
  readonly pages: Set<string>
  /** Members of the team beside the buyer. */
  readonly colleagues: string[]
  has_changed_team: boolean
  /** Teams that were bought in place of the person's own plan. */
  readonly teams: { readonly session: string; readonly subscription: string }[]
  /** The plan that Teams takes the place of, until all that follows is compared. */
  replaced: string | null
  readonly customers: Set<string>
  readonly paidInvoices: Map<string, InvoiceFacts>
  /** What Stripe has refused to do, as it may in random histories. */
  readonly refusals: string[]
  /** Events that our server has taken. */
  readonly delivered: Set<string>
  /** Dropped events. */
  readonly dropped: Set<string>
  /** Events that Stripe does not list yet. */
  readonly unlisted: Set<string>
  /** Events delivered in a form that cannot be stored. */
  readonly damaged: Set<string>
  /** Events that Stripe does not know. */
  readonly forged: Set<string>
  /** Whether an answer of Stripe's is held back from the worker. */
  is_holding: boolean
}

/** The content of a paid invoice, which never changes. */
export interface InvoiceFacts {
  readonly payment_intents: readonly string[]
  /** Its lines for a regular period. */
  readonly regular: readonly { starts_at: number; ends_at: number; seats: number; amount: number }[]
  /** What the invoice of a new period gives back: from when on, of the period with which end. */
  readonly given_back: readonly { from: number; ends_at: number }[]
  /** The pending items that have become lines of it. */
  readonly items: readonly string[]
}

/** With the invoice that was made for it, or the pending item that charges the new number. */
export interface PlayedSeatChange extends Omit<SeatChange, 'payment'> {
  readonly invoice: string | null
  readonly item: string | null
}

export async function newOwner(
  product: FaultyProduct,
  { owner: kind, currency = 'EUR' }: Pick<OwnerHistory, 'owner' | 'currency'>,
): Promise<Owner> {
  const born_at = Math.floor(product.timeAtStripe())
  const person = await signUp(product.clerk, { first_name: 'Ada' })
  await product.server.ask(initializeUser, {
    token: person.token,
    body: { clerkUser: { id: person.user_id, emailAddresses: [] }, planType: 'starter' },
  })
  return {
    kind,
    currency,
    person,
    organization_id: null,
    born_at,
    sessions: [],
    seatChanges: new Map(),
    usages: [],
    reserved: nothingReserved,
    settlements: new Map(),
    editorOf: new Map(),
    editors: [randomUUID(), randomUUID()],
    colleague: `${person.user_id}_colleague`,
    keys: [randomUUID(), randomUUID()],
    spending: { budgets: [], used: [] },
    acts: [],
    adjustments: [],
    pages: new Set(),
    colleagues: [],
    has_changed_team: false,
    teams: [],
    replaced: null,
    customers: new Set(),
    paidInvoices: new Map(),
    refusals: [],
    delivered: new Set(),
    dropped: new Set(),
    unlisted: new Set(),
    damaged: new Set(),
    forged: new Set(),
    is_holding: false,
  }
}

/** A token of the owner that has not run out, however long the history lasts. */
export function tokenFor(
  { clerk }: { readonly clerk: Pick<FaultyProduct['clerk'], 'knob'> },
  { person }: Pick<Owner, 'person'>,
): Promise<string> {
  return tokenOf(clerk, { user_id: person.user_id })
}

/** The answers of our own calls; settled sessions come from the intents. */
export async function toldBelongings(
  product: {
    readonly clerk: Pick<FaultyProduct['clerk'], 'knob'>
    readonly server: Pick<FaultyProduct['server'], 'ask'>
    readonly database: Pick<FaultyProduct['database'], 'owner'>
  },
  owner: Pick<Owner, 'kind' | 'person' | 'organization_id'>,
): Promise<Belongings> {
  const { server, database } = product
  const token = await tokenFor(product, owner)
  const intents = await database.owner
    .selectFrom('checkout_intents')
    .select(['stripe_session_id', 'stripe_invoice_id', 'owner_id'])
    .where('user_id', '=', owner.person.user_id)
    .where('state', '=', 'settled')
    .execute()
  const settled = intents
    .map(({ stripe_session_id, stripe_invoice_id }) => String(stripe_session_id ?? stripe_invoice_id))
    .toSorted()
  const { data: user } = await server.ask(getUser, { token, query: { clerkId: owner.person.user_id } })
  const { plan_type, plan_credits, purchased_credits } = user
  const held = await heldOf(product, owner.person.user_id)
  if (owner.kind === 'user')
    return {
      plan: plan_credits,
      purchased: purchased_credits,
      ...held,
      plan_type,
      seats_total: plan_type === 'starter' ? 0 : 1,
      seats_used: 0,
      settled,
    }
  owner.organization_id ??= intents[0]?.owner_id ?? null
  const id = owner.organization_id
  if (!id)
    return { plan: 0, purchased: 0, held: 0, plan_held: 0, plan_type, seats_total: 0, seats_used: 0, settled }
  const credits = await server.ask(getOrganizationCredits, { token, query: { org_id: id } })
  const { seats_total, seats } = await server.ask(getOrganizationSeats, { token, query: { org_id: id } })
  return {
    plan: credits.plan_credits,
    purchased: credits.purchased_credits,
    ...(await heldOf(product, id)),
    // The first seat is the buyer's, so that the buyer's own plan goes with the team's.
    plan_type,
    seats_total,
    seats_used: seats.filter(({ status }) => status === 'active').length,
    settled,
  }
}

/** What the ledger has of an owner. */
export async function fundsOf(
  { database }: { readonly database: Pick<FaultyProduct['database'], 'owner'> },
  { organization_id, person }: { organization_id: string | null; person: Pick<Person, 'user_id'> },
): Promise<Funds> {
  const row = await database.owner
    .selectFrom('ledger_owners')
    .select(['plan_balance as plan', 'purchased_balance as purchased', 'held', 'plan_held'])
    .where('owner_id', '=', organization_id ?? person.user_id)
    .executeTakeFirst()
  return row ?? { plan: 0, purchased: 0, held: 0, plan_held: 0 }
}

async function heldOf(product: Parameters<typeof fundsOf>[0], user_id: string) {
  const { held, plan_held } = await fundsOf(product, { organization_id: null, person: { user_id } })
  return { held, plan_held }
}
