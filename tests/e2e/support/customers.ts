import type { APIRequestContext } from '@playwright/test'
import type { Kysely } from 'kysely'
import { creditsCostMinor } from '../../../schema/catalogue/credits.ts'
import type { DB } from '../../../schema/database/types.ts'
import { type Caller, callerOf as callerBy } from '../../../scripts/demo/caller.ts'
import { waitUntil } from '../../support/wait-until.ts'
import { arrive, askBy } from './people.ts'
import { findUserId, openSandboxClerk, openSandboxStripe, turnStripeKnob, withDatabase } from './product.ts'

/** A customer, for tests that are not about how one comes to be. */
export interface Customer extends Caller {
  readonly email: string
  /** Opens a payment page of credits; returns the session. */
  order(credits: number): Promise<string>
  /** Pays a page at Stripe, without coming back from it. */
  pay(sessionId: string, means?: { readonly method: 'delayed' }): Promise<void>
  /** Buys credits, and waits until they are there. */
  buy(credits: number): Promise<string>
}

export async function newCustomer(
  request: APIRequestContext,
  baseURL: string | undefined,
): Promise<Customer> {
  const { email } = await arrive(request)
  const caller = await callerOf(request, baseURL)
  const { userId, call } = caller
  const clerkUser = { id: userId, emailAddresses: [{ emailAddress: email }] }
  await call('/api/user/initialize', { clerkUser, planType: 'starter' })
  const order = async (credits: number) => {
    const amount = creditsCostMinor(credits) / 100
    const body = { clerkUserId: userId, credits, amount, currency: 'EUR' }
    return (await call<{ sessionId: string }>('/api/billing/credit-purchase', body)).sessionId
  }
  const pay = (sessionId: string, means = {}) => turnStripeKnob(`sessions/${sessionId}/pay`, means)
  return {
    ...caller,
    email,
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

/** The person who is signed in. */
export function callerOf(request: APIRequestContext, baseURL = ''): Promise<Caller> {
  return callerBy(askBy(request), baseURL)
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

/** Waits until a statement finds a row. */
export function untilRow(find: (db: Kysely<DB>) => Promise<unknown>): Promise<unknown> {
  const limitMs = 120_000
  return withDatabase((db) => waitUntil(async () => (await find(db)) !== undefined, 'the row', limitMs))
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
