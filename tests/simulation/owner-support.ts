import { randomUUID } from 'node:crypto'
import type { ResponseOf } from '../../schema/api/endpoint.ts'
import { approveSupportAct, type getSupportActs, requestSupportActs } from '../../schema/api/support-acts.ts'
import type { RowTarget } from '../../schema/support/acts.ts'
import { findTarget } from '../../schema/support/targets.ts'
import { type Person, signUp, tokenOf } from '../support/services/clerk.ts'
import type { FaultyProduct } from './faulty-product.ts'
import type { Owner } from './owner.ts'
import { findOpenInvoice, latestSubscription } from './owner-at-stripe.ts'
import { type PlannedAct, planActs } from './owner-history.ts'
import { pass } from './pass.ts'
import { ignoreCut } from './play.ts'

type Staff = readonly [Person, Person]
type Act = ResponseOf<typeof getSupportActs>['data']['acts'][number]

/** Created on first use; the product caches for seconds who is not on the staff. */
const staffOfProducts = new WeakMap<FaultyProduct, Promise<Staff>>()

/** A colleague acts on the owner, a second one approves if needed; unanswered calls are repeated. */
export async function askSupport(product: FaultyProduct, owner: Owner, planned: PlannedAct): Promise<void> {
  const target = await targetOf(product, owner, planned)
  if (!target) return
  const [first, second] = await staffOf(product)
  const asked = await repeat(product, first, (token) =>
    product.server.api(requestSupportActs, {
      token,
      body: { id: target.act_id, reason: 'A history wants it so', targets: [target.of], ...target.what },
    }),
  )
  // An act on the same target is under way.
  if (asked.status === 409) return
  if (asked.status !== 200) throw new Error(`Support: ${asked.status} ${JSON.stringify(asked.body)}`)
  const [act] = (asked.body as ResponseOf<typeof requestSupportActs>).data.acts
  owner.acts.push(target.act_id)
  if (planned.act === 'adjust') owner.adjustments.push(planned.credits)
  if (act?.state !== 'waiting_for_approval') return
  const approved = await repeat(product, second, (token) =>
    product.server.api(approveSupportAct, { token, body: { id: target.act_id } }),
  )
  // 409: it was approved, and the answer was lost.
  if (approved.status !== 200 && approved.status !== 409)
    throw new Error(`Support's approval: ${approved.status} ${JSON.stringify(approved.body)}`)
  // An approval lapses after a day, and the steps that follow may let months pass.
  for (let waited = 0; waited < 70 && (await isQueued(product, target.act_id)); waited++) {
    await new Promise((resolve) => setTimeout(resolve, 20))
    await pass(product, 60)
  }
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

/** Support's acts that are unfinished or failed, but for those that Stripe may refuse by the time they are done. */
export async function unfinishedActs({ database }: FaultyProduct, { acts }: Owner): Promise<string[]> {
  const rows = await database.owner
    .selectFrom('support_acts')
    .select(['id', 'kind', 'state', 'error', 'last_error'])
    .where('id', 'in', acts.length > 0 ? acts : [randomUUID()])
    .where('state', '<>', 'done' satisfies Act['state'])
    .where(({ or, eb }) => or([eb('state', '<>', 'failed'), eb('kind', 'not in', planActs)]))
    .execute()
  return rows.map((act) => `support: ${JSON.stringify(act)}`)
}

async function targetOf(product: FaultyProduct, owner: Owner, { act, credits }: PlannedAct) {
  const act_id = randomUUID()
  if (act === 'end_plan' || act === 'end_plan_later') {
    const plan = await latestSubscription(product, owner)
    const of = { kind: 'subscription', id: plan?.id ?? '' } as const
    return plan && (await isKnown(product, of)) ? { act_id, of, what: { kind: act } } : null
  }
  if (act === 'pay_invoice' || act === 'void_invoice') {
    const of = { kind: 'invoice', id: (await findOpenInvoice(product, owner))?.id ?? '' } as const
    return (await isKnown(product, of)) ? { act_id, of, what: { kind: act } } : null
  }
  if (act === 'replay') {
    const id = [...owner.delivered].at(-1)
    return id && ({ act_id, of: { kind: 'event', id }, what: { kind: 'replay' } } as const)
  }
  const of =
    owner.kind === 'user'
      ? ({ kind: 'user', id: owner.person.user_id } as const)
      : owner.organization_id && ({ kind: 'organization', id: owner.organization_id } as const)
  if (!of) return
  if (act === 'resync') return { act_id, of, what: { kind: 'resync' } } as const
  const adjustment = {
    credits,
    customer_note: 'As promised',
    may_leave_debt: credits < 0,
  }
  return { act_id, of, what: { kind: 'adjust', params: { adjustment } } } as const
}

/** Support acts on what the console shows. */
async function isKnown({ database }: FaultyProduct, of: RowTarget): Promise<boolean> {
  return (await findTarget(database.owner, of)) !== null
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
