import { randomUUID } from 'node:crypto'
import type Stripe from 'stripe'
import type { BodyInputOf, ResponseOf } from '../../schema/api/endpoint.ts'
import { approveSupportAct, type getSupportActs, requestSupportActs } from '../../schema/api/support-acts.ts'
import { type Person, signUp, tokenOf } from '../support/services/clerk.ts'
import type { FaultyProduct } from './faulty-product.ts'
import type { Owner } from './owner.ts'
import type { PlannedAct } from './owner-history.ts'
import { pass } from './pass.ts'
import { ignoreCut, withoutFaults } from './play.ts'

type Staff = readonly [Person, Person]
type Act = ResponseOf<typeof getSupportActs>['data']['acts'][number]

/** Created on first use; the product caches for seconds who is not on the staff. */
const staffOfProducts = new WeakMap<FaultyProduct, Promise<Staff>>()

/** A colleague acts on the owner, a second one approves if needed; unanswered calls are repeated. */
export async function askSupport(product: FaultyProduct, owner: Owner, planned: PlannedAct): Promise<void> {
  const target = targetOf(owner, planned)
  if (!target) return
  const isTaken = await ask(product, owner, { id: target.act_id, targets: [target.of], ...target.what })
  if (isTaken && planned.act === 'adjust') owner.adjustments.push(planned.credits)
}

/** Both colleagues ask for the same refund at once, as one does who has two tabs; at most one is made. */
export async function refundBySupport(
  product: FaultyProduct,
  owner: Owner,
  { charge, amount }: { readonly charge: Stripe.Charge; readonly amount: number },
): Promise<void> {
  const { client } = product.stripe
  const invoices = await withoutFaults(product, () =>
    client.invoicePayments.list({
      payment: { type: 'payment_intent', payment_intent: String(charge.payment_intent) },
    }),
  )
  const intent_id = charge.metadata.intentId
  const invoice_id = String(invoices.data[0]?.invoice)
  const target = intent_id ? { kind: 'intent', id: intent_id } : { kind: 'invoice', id: invoice_id }
  const known = await product.database.owner
    .selectFrom('charges')
    .select(({ fn }) => fn.sum<string | null>('refunded_minor').as('minor'))
    .where((of) => (intent_id ? of('intent_id', '=', intent_id) : of('stripe_invoice_id', '=', invoice_id)))
    .executeTakeFirst()
  const refund = {
    amount_minor: amount,
    currency: owner.currency,
    // As the console shows it, which may be late.
    refunded_minor: Number(known?.minor ?? 0),
    stripe_reason: null,
  }
  const asked = { kind: 'refund', targets: [target], params: { refund } } as Asked
  const tabs = [0, 1].map((asker) => ask(product, owner, { ...asked, id: randomUUID() }, asker))
  await Promise.all(tabs)
}

type Asked = Omit<BodyInputOf<typeof requestSupportActs>, 'reason'>

/** False when an act that contradicts it is under way, or its payment is not known yet. */
async function ask(product: FaultyProduct, owner: Owner, body: Asked, asker = 0): Promise<boolean> {
  const staff = await staffOf(product)
  const [first, second] = asker === 0 ? staff : ([staff[1], staff[0]] as const)
  const asked = await repeat(product, first, (token) =>
    product.server.api(requestSupportActs, { token, body: { reason: 'A history wants it so', ...body } }),
  )
  if (asked.status === 409 || (asked.status === 404 && body.kind === 'refund')) return false
  if (asked.status !== 200) throw new Error(`Support: ${asked.status} ${JSON.stringify(asked.body)}`)
  const [act] = (asked.body as ResponseOf<typeof requestSupportActs>).data.acts
  owner.acts.push(body.id)
  if (act?.state !== 'waiting_for_approval') return true
  const approved = await repeat(product, second, (token) =>
    product.server.api(approveSupportAct, { token, body: { id: body.id } }),
  )
  // 409: it was approved, and the answer was lost.
  if (approved.status !== 200 && approved.status !== 409)
    throw new Error(`Support's approval: ${approved.status} ${JSON.stringify(approved.body)}`)
  // An approval lapses after a day, and the steps that follow may let months pass.
  for (let waited = 0; waited < 70 && (await isQueued(product, body.id)); waited++) {
    await new Promise((resolve) => setTimeout(resolve, 20))
    await pass(product, 60)
  }
  return true
}

async function isQueued({ database }: FaultyProduct, id: string): Promise<boolean> {
  const queued = await database.owner
    .selectFrom('support_acts')
    .select('id')
    .where('id', '=', id)
    .where('state', '=', 'queued')
    .execute()
  return queued.length > 0
}

/**
 * Support's acts that are unfinished or failed, and refunds that were made twice, or for none. A refund fails
 * when the payment is disputed, or another refund came between.
 */
export async function unfinishedActs(product: FaultyProduct, owner: Owner): Promise<string[]> {
  const { acts } = owner
  const rows = await product.database.owner
    .selectFrom('support_acts')
    .select(['id', 'kind', 'state', 'error', 'last_error'])
    .where('id', 'in', acts.length > 0 ? acts : [randomUUID()])
    .execute()
  const made = rows.some(({ kind }) => kind === 'refund') ? await refundsOfActs(product, owner) : []
  const isWrong = ({ id, kind, state }: (typeof rows)[number]) => {
    if (kind !== 'refund' || state !== 'failed') return state !== ('done' satisfies Act['state'])
    return made.includes(id)
  }
  return [
    ...rows.filter(isWrong).map((act) => `support: ${JSON.stringify(act)}`),
    ...made.filter((id, index) => made.indexOf(id) !== index).map((id) => `support: ${id} refunded twice`),
    ...rows
      .filter(({ id, kind, state }) => kind === 'refund' && state === 'done' && !made.includes(id))
      .map(({ id }) => `support: ${id} refunded nothing`),
  ]
}

/** The acts that the owner's refunds name, each as often as it is named. */
async function refundsOfActs(product: FaultyProduct, { customers }: Owner): Promise<string[]> {
  const { client } = product.stripe
  const named: string[] = []
  for (const customer of customers)
    for await (const { id, amount_refunded } of client.charges.list({ customer, limit: 100 }))
      if (amount_refunded > 0)
        for await (const { metadata } of client.refunds.list({ charge: id, limit: 100 }))
          if (metadata?.supportAct) named.push(metadata.supportAct)
  return named
}

function targetOf(owner: Owner, planned: PlannedAct) {
  const act_id = randomUUID()
  if (planned.act === 'replay') {
    const id = [...owner.delivered].at(-1)
    return id && ({ act_id, of: { kind: 'event', id }, what: { kind: 'replay' } } as const)
  }
  const of =
    owner.kind === 'user'
      ? ({ kind: 'user', id: owner.person.user_id } as const)
      : owner.organization_id && ({ kind: 'organization', id: owner.organization_id } as const)
  if (!of) return
  if (planned.act === 'resync') return { act_id, of, what: { kind: 'resync' } } as const
  const adjustment = {
    credits: planned.credits,
    customer_note: 'As promised',
    may_leave_debt: planned.credits < 0,
  }
  return { act_id, of, what: { kind: 'adjust', params: { adjustment } } } as const
}

function staffOf(product: FaultyProduct): Promise<Staff> {
  const known = staffOfProducts.get(product)
  if (known) return known
  const hire = () => signUp(product.clerk, { role: 'support' })
  const hired = Promise.all([hire(), hire()] as const)
  staffOfProducts.set(product, hired)
  return hired
}

/** A person whose request gets no answer, or one that says that the server cannot now, sends it again. */
async function repeat<A extends { readonly status: number }>(
  { clerk }: FaultyProduct,
  { user_id }: Person,
  request: (token: string) => Promise<A>,
): Promise<A> {
  const token = await tokenOf(clerk, { user_id })
  for (let attempt = 1; ; attempt++) {
    const answer = await request(token).catch(ignoreCut)
    if (answer && answer.status < 500) return answer
    if (attempt === 5) throw new Error(`Support gets no answer: ${answer?.status}`)
  }
}
