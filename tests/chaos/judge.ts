import { createHash } from 'node:crypto'
import type Stripe from 'stripe'
import { readOwnerBalanceSheet } from '../../schema/billing/position/read-owner.ts'
import { verifyLedger } from '../../schema/ledger/verify/verify.ts'
import type { Customer, World } from './customer.ts'
import { whatStripeSent } from './deliveries.ts'
import { ownerDiffers } from './owner-agrees.ts'

/** How many owners are asked about at once. */
const atOnce = 6

export interface Verdict {
  readonly problems: readonly string[]
  /** The customers who are told something else than the model says. */
  readonly differing: readonly Customer[]
}

/**
 * The problems once everything should be at rest. Judged by Stripe and Clerk, by the customers' journals, and
 * by a model that shares no code with the product. Only doubtful customers are asked for their balances.
 */
export async function judge(
  world: World,
  customers: readonly Customer[],
  doubted: readonly Customer[],
): Promise<Verdict> {
  const { database } = world.system
  const { problems: inLedger } = await verifyLedger(database)
  const owners = await compareOwners(world, doubted)
  return {
    problems: [
      ...inLedger.map(({ check, subject }) => `ledger: ${check}: ${subject}`),
      ...(await unfinished(world)),
      ...(await wrongIntents(world)),
      ...(await wrongUsage(world, customers)),
      ...(await wrongBooks(world)),
      ...owners.problems,
    ],
    differing: owners.differing,
  }
}

async function compareOwners(world: World, customers: readonly Customer[]): Promise<Verdict> {
  const left = [...customers]
  const problems: string[] = []
  const differing: Customer[] = []
  const compareNext = async () => {
    for (let customer = left.pop(); customer; customer = left.pop()) {
      const found = await ownerDiffers(world, customer)
      problems.push(...found)
      if (found.length > 0) differing.push(customer)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, compareNext))
  return { problems, differing }
}

/** Owners whose books are not what their facts make due, by the product's own reckoning. */
async function wrongBooks({ system }: World): Promise<string[]> {
  const now = await system.now()
  return system.database
    .transaction()
    .setIsolationLevel('repeatable read')
    .execute(async (trx) => {
      const problems: string[] = []
      const settled = trx.selectFrom('checkout_intents').select('owner_id').where('state', '=', 'settled')
      const owners = await settled.union(trx.selectFrom('subscriptions').select('owner_id')).execute()
      for (const owner_id of owners.flatMap((row) => row.owner_id ?? [])) {
        const { transfers, closings } = (await readOwnerBalanceSheet(trx, owner_id, now)).difference
        for (const { component, credits, grant } of transfers)
          problems.push(`${owner_id}: ${credits} credits (${component}) of ${grant.id} are not posted`)
        for (const month of closings)
          problems.push(`${owner_id}: month ${JSON.stringify(month)} is not closed`)
      }
      return problems
    })
}

/** Everything that is not at an end that a customer may be left with. */
async function unfinished({ system }: World): Promise<string[]> {
  const { database } = system
  const events = await database
    .selectFrom('inbox_events')
    .select(['source', 'id', 'type', 'state', 'reason', 'last_error'])
    .where('state', 'not in', ['applied', 'ignored'])
    .execute()
  const subscriptions = await database
    .selectFrom('subscriptions')
    .select(['stripe_subscription_id', 'last_error'])
    .where('sync_failed_at', 'is not', null)
    .execute()
  const known = await database
    .selectFrom('inbox_events')
    .select('id')
    .where('source', '=', 'stripe')
    .execute()
  const received = new Set(known.map(({ id }) => id))
  const lost = (await whatStripeSent(system)).events.filter((id) => !received.has(id))
  // The clock was moved by more than a hold can last.
  const holds = await database
    .selectFrom('ledger_holds')
    .select('id')
    .where((hold) => hold.or([hold('state', '=', 'open'), hold('outlives_month', '=', true)]))
    .execute()
  return [
    ...holds.map(({ id }) => `hold ${id} is still open, or not counted to its month`),
    ...events.map((event) => `event: ${JSON.stringify(event)}`),
    ...subscriptions.map((subscription) => `subscription: ${JSON.stringify(subscription)}`),
    ...lost.map((id) => `event ${id} never came`),
  ]
}

/** Every intent has the outcome of its page at Stripe, and at most one page. */
async function wrongIntents({ system }: World): Promise<string[]> {
  const sessions: Stripe.Checkout.Session[] = []
  for await (const session of system.stripe.client.checkout.sessions.list({
    limit: 100,
    expand: ['data.payment_intent'],
  }))
    sessions.push(session)
  const ofIntent = Map.groupBy(sessions, ({ client_reference_id }) => client_reference_id)
  const intents = await system.database
    .selectFrom('checkout_intents')
    .select(['id', 'state', 'stripe_session_id', 'failure_reason', 'last_error'])
    .execute()
  const known = new Set<string | null>(intents.map(({ id }) => id))
  const problems = sessions
    .filter(({ client_reference_id }) => !known.has(client_reference_id))
    .map(({ id }) => `session ${id} was returned to no customer`)
  for (const intent of intents) {
    const pages = ofIntent.get(intent.id) ?? []
    if (pages.length > 1) problems.push(`intent ${intent.id} has ${pages.length} pages`)
    const expected = endOf(pages[0])
    if (!expected.includes(intent.state))
      problems.push(`intent: expected ${expected.join(' or ')}: ${JSON.stringify(intent)}`)
  }
  return problems
}

function endOf(page: Stripe.Checkout.Session | undefined): readonly string[] {
  if (!page) return ['failed', 'expired']
  if (page.status === 'expired') return ['expired']
  if (page.status === 'open') return ['open']
  return page.payment_status === 'unpaid' ? ['failed'] : ['settled']
}

/** The ledger has each confirmed usage once, and no other. */
async function wrongUsage({ system }: World, customers: readonly Customer[]): Promise<string[]> {
  const posted = await system.database
    .selectFrom('ledger_transfers as transfer')
    .innerJoin('ledger_entries as entry', 'entry.transfer_id', 'transfer.id')
    .innerJoin('ledger_accounts as account', 'account.id', 'entry.account_id')
    .where('transfer.kind', '=', 'usage')
    .groupBy(['transfer.id', 'transfer.idempotency_key', 'account.owner_id'])
    .select(({ fn }) => [
      'transfer.idempotency_key as key',
      'account.owner_id',
      fn.sum<string>('entry.amount').as('amount'),
    ])
    .execute()
  const found = new Map(
    posted.map(({ key, owner_id, amount }) => [key, `${owner_id} ${-Number(amount)}`] as const),
  )
  const problems: string[] = []
  for (const { person, organization_id, reports, reservations } of customers) {
    for (const { id, payer, charged } of reservations) {
      const owner = payer === 'personal' ? person.user_id : organization_id
      const names = [`hold/${id}`, `hold/${id}/above`]
      const credits = names.map((name) => found.get(name)?.split(' ') ?? [owner, '0'])
      const sum = credits.reduce(
        (all, [whose, some]) => (whose === owner ? all + Number(some) : Number.NaN),
        0,
      )
      if (sum !== (charged ?? 0))
        problems.push(`hold ${id}: told ${charged} of ${owner}, charged ${credits.join()}`)
      for (const name of names) found.delete(name)
    }
    for (const { key, payer, credits, outcome } of reports) {
      const owner = payer === 'personal' ? person.user_id : organization_id
      const name = `usage/${createHash('sha256').update(`${person.user_id}\0${key}`).digest('hex')}`
      const charged = found.get(name)
      const expected = outcome === 'charged' ? `${owner} ${credits}` : undefined
      if (charged !== expected) problems.push(`usage ${key}: told ${expected}, charged ${charged}`)
      found.delete(name)
    }
  }
  return [...problems, ...[...found.keys()].map((key) => `usage ${key} was confirmed to no customer`)]
}
