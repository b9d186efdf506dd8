import { AsyncLocalStorage } from 'node:async_hooks'
import type { Kysely } from 'kysely'
import type { DB } from '../../database/types.ts'
import { isDatabaseUnavailable } from '../../database/unavailable.ts'
import { inSpan } from '../../tracing.ts'
import { refuseConflict, type SpendOutcome, type SpendRequest, spendCredits } from './usage.ts'

export type Spend = (request: SpendRequest) => Promise<ReturnType<typeof refuseConflict>>

interface Waiting {
  readonly request: SpendRequest
  /** Runs in the span of its caller. */
  readonly within: <T>(work: () => T) => T
  readonly resolve: (outcome: SpendOutcome) => void
  readonly reject: (error: unknown) => void
}

const groupMax = 100

/**
 * `spendCredits` for a process that is asked for it all the time: requests of a payer that come while another
 * one of theirs is decided share one statement, one commit and one lock (decision 126). Each caller waits for
 * the commit of their own. A payer who is locked, or has many usages, holds up no other.
 */
export function createUsageGroups(db: Kysely<DB>): Spend {
  /** By payer: those that wait while others of that payer are decided. */
  const waiting = new Map<string, Waiting[]>()
  return async (request) => {
    const outcome = await inSpan('usage', {}, () => {
      const { promise, resolve, reject } = Promise.withResolvers<SpendOutcome>()
      const one = { request, within: AsyncLocalStorage.snapshot(), resolve, reject }
      const others = waiting.get(request.owner_id)
      if (others) others.push(one)
      else {
        waiting.set(request.owner_id, [one])
        void decideAll(request.owner_id)
      }
      return promise
    })
    return refuseConflict(request, outcome)
  }

  async function decideAll(payer: string): Promise<void> {
    for (;;) {
      const group = waiting.get(payer)?.splice(0, groupMax) ?? []
      if (group.length === 0) break
      await decide(group)
    }
    waiting.delete(payer)
  }

  /** When a group fails, each request is decided alone, so that a failure of one is its own. */
  async function decide(group: readonly Waiting[]): Promise<void> {
    const [first] = group
    try {
      const requests = group.map(({ request }) => request)
      const outcomes = await first?.within(() => spendCredits(db, requests))
      for (const [index, { resolve }] of group.entries()) resolve(outcomes?.[index] as SpendOutcome)
    } catch (error) {
      if (group.length > 1 && !isDatabaseUnavailable(error)) for (const one of group) await decide([one])
      else for (const { reject } of group) reject(error)
    }
  }
}
