import type { APIRequestContext } from '@playwright/test'
import type { Kysely } from 'kysely'
import { creditsCostMinor } from '../../../schema/catalogue/credits.ts'
import type { DB } from '../../../schema/database/types.ts'
import { waitUntil } from '../../support/wait-until.ts'
import { arrive } from './people.ts'
import { findUserId, openSandboxClerk, openSandboxStripe, turnStripeKnob, withDatabase } from './product.ts'

/** A customer who acts by the calls that their pages make; for tests of what support sees of them. */
export interface Customer {
  readonly email: string
  readonly userId: string
  call<T>(path: string, data: object): Promise<T>
  /** Opens a payment page of credits; returns the session. */
  order(credits: number): Promise<string>
  /** Pays a page at Stripe, without coming back from it. */
  pay(sessionId: string): Promise<void>
  /** Buys credits, and waits until they are there. */
  buy(credits: number): Promise<string>
}

export async function newCustomer(
  request: APIRequestContext,
  baseURL: string | undefined,
): Promise<Customer> {
  const { email } = await arrive(request)
  const origin = baseURL ?? ''
  const client = (await (await request.get('/__clerk/v1/client')).json()) as {
    response: { sessions: readonly { id: string; user: { id: string } }[] }
  }
  const session = client.response.sessions[0]
  const userId = session?.user.id ?? ''
  const call = async <T>(path: string, data: object): Promise<T> => {
    const token = await request.post(`/__clerk/v1/client/sessions/${session?.id}/tokens`, {
      headers: { origin },
    })
    const { jwt } = (await token.json()) as { jwt: string }
    const response = await request.post(path, { headers: { authorization: `Bearer ${jwt}`, origin }, data })
    if (!response.ok()) throw new Error(`${path}: ${response.status()} ${await response.text()}`)
    return response.json() as Promise<T>
  }
  const clerkUser = { id: userId, emailAddresses: [{ emailAddress: email }] }
  await call('/api/user/initialize', { clerkUser, planType: 'starter' })
  const order = async (credits: number) => {
    const amount = creditsCostMinor(credits) / 100
    const body = { clerkUserId: userId, credits, amount, currency: 'EUR' }
    return (await call<{ sessionId: string }>('/api/billing/credit-purchase', body)).sessionId
  }
  const pay = (sessionId: string) => turnStripeKnob(`sessions/${sessionId}/pay`)
  return {
    email,
    userId,
    call,
    order,
    pay,
    async buy(credits) {
      const sessionId = await order(credits)
      await pay(sessionId)
      await untilSettled(sessionId)
      return sessionId
    },
  }
}

/** Opens the payment page of a plan; returns the session. */
export async function orderPlan(customer: Customer, plan: 'pro' | 'teams', seats = 1): Promise<string> {
  const body = { clerkUserId: customer.userId, planType: plan, seats }
  const path = '/api/stripe/create-checkout-session'
  return (await customer.call<{ sessionId: string }>(path, body)).sessionId
}

/** Begins a plan, with a trial if it has one; returns Stripe's subscription. */
export async function subscribe(customer: Customer, plan: 'pro' | 'teams', seats = 1): Promise<string> {
  const sessionId = await orderPlan(customer, plan, seats)
  await customer.pay(sessionId)
  await untilSettled(sessionId)
  const { subscription } = await openSandboxStripe().checkout.sessions.retrieve(sessionId)
  return String(subscription)
}

export async function organizationOf({ email }: Customer): Promise<string> {
  const userId = await findUserId(email)
  const { data } = await openSandboxClerk().users.getOrganizationMembershipList({ userId })
  return data[0]?.organization.id ?? ''
}

/** The charge of a paid session. */
export async function chargeOf(sessionId: string): Promise<string> {
  const expand = ['payment_intent']
  const { payment_intent } = await openSandboxStripe().checkout.sessions.retrieve(sessionId, { expand })
  if (payment_intent === null || typeof payment_intent === 'string')
    throw new Error(`${sessionId} is not paid`)
  return String(payment_intent.latest_charge)
}

/** Waits until a statement finds a row. */
export function untilRow(find: (db: Kysely<DB>) => Promise<unknown>) {
  return waitUntil(async () => (await withDatabase(find)) !== undefined, 'the row')
}

export function untilSettled(sessionId: string): Promise<unknown> {
  return untilRow((db) =>
    db
      .selectFrom('checkout_intents')
      .select('id')
      .where('stripe_session_id', '=', sessionId)
      .where('state', '=', 'settled')
      .executeTakeFirst(),
  )
}
