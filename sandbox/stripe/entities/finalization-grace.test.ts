import { expect, it } from 'vitest'
import { startClockwork, subscribe } from '../testing/billing.ts'

// https://docs.stripe.com/billing/subscriptions/usage-based/configure-grace-period
// https://docs.stripe.com/invoicing/scheduled-finalization

const hour = 3600

/** A subscription whose renewal is still a draft, a minute after its period has ended. */
async function startRenewing() {
  const sandbox = await startClockwork()
  const { harness, stripe, advance } = sandbox
  const { id, items } = await subscribe(sandbox)
  const end = items.data[0]?.current_period_end ?? 0
  await advance(end - Math.floor((await nowOf(harness.url)) / 1000) + 60)
  const invoice = async () => {
    const { latest_invoice } = await stripe.subscriptions.retrieve(id)
    return stripe.invoices.retrieve(String(latest_invoice))
  }
  const draft = await invoice()
  const schedule = (at: number) =>
    stripe.invoices.update(String(draft.id), { automatically_finalizes_at: at })
  return { ...sandbox, id, end, draft, invoice, schedule }
}

async function nowOf(url: string): Promise<number> {
  const answer = await fetch(`${url}/_sandbox`)
  return Date.parse(((await answer.json()) as { now: string }).now)
}

it('an invoice that is finalized, or a draft that waits for a call, takes no time', async () => {
  const { stripe, draft, end, schedule } = await startRenewing()
  await stripe.invoices.finalizeInvoice(String(draft.id), { auto_advance: false })
  await expect(schedule(end + hour)).rejects.toMatchObject({ code: 'invoice_not_editable' })
  const manual = await stripe.invoices.create({ customer: String(draft.customer), auto_advance: false })
  await expect(
    stripe.invoices.update(String(manual.id), { automatically_finalizes_at: end + hour }),
  ).rejects.toThrow('auto_advance')
})

it('a pause of the collection that begins in the hour keeps the draft', async () => {
  const { id, stripe, invoice, advance } = await startRenewing()
  await stripe.subscriptions.update(id, { pause_collection: { behavior: 'keep_as_draft' } })
  await advance(2 * hour)
  expect(await invoice()).toMatchObject({ status: 'draft', automatically_finalizes_at: null })
})
