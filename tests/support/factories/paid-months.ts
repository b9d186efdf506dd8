import { randomUUID } from 'node:crypto'
import { type ChargeSnapshot, saveCharge } from '../../../schema/billing/charges/charges.ts'
import { savePaidLines } from '../../../schema/billing/subscriptions/snapshots.ts'
import type { TestDatabase } from '../database/test-database.ts'
import { buildSubscription } from './subscriptions.ts'

const total_minor = 2000

/** The facts of an owner's plans, as Stripe tells them: 60 credits a month, at any times. */
export class PaidPlans {
  readonly #database: TestDatabase
  readonly #owner: string
  readonly #user_id: string
  readonly #invoices: string[] = []
  #subscription = ''
  #order = 1

  constructor(database: TestDatabase, { owner_id, user_id }: { owner_id: string; user_id: string }) {
    this.#database = database
    this.#owner = owner_id
    this.#user_id = user_id
  }

  async begin(): Promise<void> {
    const [owner_id, user_id] = [this.#owner, this.#user_id]
    const { id } = await buildSubscription(this.#database, {
      owner_id,
      user_id,
      fields: { credits_per_seat: 60 },
    })
    this.#subscription = id
  }

  async payMonth({ starts, ends }: { starts: number; ends: number }): Promise<void> {
    const stripe_invoice_id = `in_${randomUUID()}`
    this.#invoices.push(stripe_invoice_id)
    await this.#database.worker.transaction().execute((trx) =>
      savePaidLines(trx, [
        {
          owner_id: this.#owner,
          stripe_invoice_id,
          stripe_subscription_id: this.#subscription,
          kind: 'period',
          starts_at: new Date(starts),
          ends_at: new Date(ends),
          seats: 1,
          amount_minor: total_minor,
          total_minor,
          amount_paid_minor: total_minor,
          paid_at: new Date(starts),
        },
      ]),
    )
  }

  async end(at: number): Promise<void> {
    await this.#database.worker
      .updateTable('subscriptions')
      .set({ status: 'canceled', ended_at: new Date(at) })
      .where('stripe_subscription_id', '=', this.#subscription)
      .execute()
  }

  /** So much of the money of a month, counted from the first one, has gone back by now. */
  async giveBack(month: number, percent: number): Promise<void> {
    const invoice = this.#invoices[month]
    if (!invoice) throw new Error(`Month ${month} was not paid`)
    await this.#database.worker.transaction().execute((trx) =>
      saveCharge(trx, {
        ...chargeOf(this.#owner, `ch_${invoice}`),
        stripe_invoice_id: invoice,
        amount_minor: total_minor,
        disputed_minor: (total_minor * percent) / 100,
        snapshot_order: ++this.#order,
      }),
    )
  }
}

/** A charge of 7.00 of which nothing went back. */
export const chargeOf = (owner_id: string, stripe_charge_id: string): ChargeSnapshot => ({
  owner_id,
  stripe_charge_id,
  intent_id: null,
  stripe_invoice_id: null,
  amount_minor: 700,
  refunded_minor: 0,
  unused_refund_minor: 0,
  refunded_before_minor: 0,
  disputed_minor: 0,
  dispute_state: null,
  dispute_state_at: null,
  dispute_due_at: null,
  snapshot_order: 1,
})
