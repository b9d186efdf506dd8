import { setTimeout as delay } from 'node:timers/promises'
import type Stripe from 'stripe'
import { initializeUser } from '../../schema/api/users.ts'
import { nothingReserved } from '../simulation/model.ts'
import type { Owner } from '../simulation/owner.ts'
import type { Player } from '../simulation/what-happened.ts'
import type { Random } from '../support/random.ts'
import { type Person, signUp } from '../support/services/clerk.ts'
import type { Client } from './client.ts'
import type { System } from './system.ts'
import { Refused, untilDone } from './until-done.ts'

/** What one report of usage came to, by the answer that its sender had in the end. */
export interface Report {
  readonly key: string
  readonly payer: 'personal' | 'organization'
  readonly credits: number
  readonly outcome: 'charged' | 'refused'
}

/** Credits that were reserved, and what the customer was told in the end. */
export interface Reservation extends Pick<Report, 'payer'> {
  readonly id: string
  /** Null when it was released or forgotten. */
  readonly charged: number | null
}

/** A customer who buys and uses, with a journal of their calls and the answers. */
export interface Customer extends Player, Pick<Owner, 'person'> {
  organization_id: string | null
  /** The sessions that were paid. */
  readonly paid: Set<string>
  readonly reports: Report[]
  readonly reservations: Reservation[]
  /** The extension's token; created on first use. */
  access_token: string | null
  /** The latest version of each payer's balance. */
  readonly versions: Map<string, number>
  /** How often money may have gone back, which alone may make a balance a debt. */
  clawbacks: number
  /** Violations that the customer saw and that nothing can repair. */
  readonly complaints: string[]
}

export interface World {
  readonly system: System
  readonly client: Client
  /** The run is ending: customers begin nothing new. */
  readonly isClosing: () => boolean
}

export async function newCustomer(world: World, kind: Customer['kind']): Promise<Customer> {
  const person: Person = await signUp(world.system.clerk, { first_name: 'Ada' })
  const user = { id: person.user_id, emailAddresses: [{ emailAddress: person.email }] }
  await world.client.ask(initializeUser, {
    token: person.token,
    body: { clerkUser: user, planType: 'starter' },
  })
  return {
    kind,
    person,
    organization_id: null,
    sessions: [],
    customers: new Set(),
    seatChanges: new Map(),
    usages: [],
    adjustments: [],
    reserved: nothingReserved,
    spending: { budgets: [], used: [] },
    colleagues: [],
    teams: [],
    paidInvoices: new Map(),
    paid: new Set(),
    reports: [],
    reservations: [],
    access_token: null,
    versions: new Map(),
    clawbacks: 0,
    complaints: [],
  }
}

/**
 * A customer's action at Stripe or in its dashboard, whatever failures the product is to see: tried again
 * until Stripe answers. Null when Stripe refuses, as it may.
 */
export async function atStripe<T>(
  { system }: Pick<World, 'system'>,
  work: (stripe: Stripe) => Promise<T>,
): Promise<T | null> {
  return untilDone(async () => {
    try {
      return await work(system.stripe.client)
    } catch (error) {
      const status = error instanceof Error && 'statusCode' in error ? Number(error.statusCode) : 0
      if ([400, 402, 404].includes(status)) return null
      throw error
    }
  })
}

/** Turns a knob that the stand-in may refuse, because the state has changed. */
export async function turnKnob<T>(
  { system }: Pick<World, 'system'>,
  path: string,
  body: object = {},
): Promise<T | null> {
  return system.stripe.knob<T>(path, body).catch((error: unknown) => {
    if (error instanceof Refused && / (400|402|404|409) /.test(error.message)) return null
    throw error
  })
}

export function pause(random: Random, longest_ms: number): Promise<void> {
  return delay(random.int(0, longest_ms))
}
