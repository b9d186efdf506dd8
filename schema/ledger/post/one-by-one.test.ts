import * as fc from 'fast-check'
import { afterAll, expect, test } from 'vitest'
import { seed } from '../../../tests/simulation/seed.ts'
import { testDatabase } from '../../../tests/support/database/test-database.ts'
import { user } from '../../../tests/support/factories/grants.ts'
import type { OwnerAccount } from '../accounts.ts'
import { type Grant, monthGrant } from '../grants.ts'
import { findBalance } from '../read/balances.ts'
import { spendCredits, type Usage } from '../spend/usage.ts'
import { verifyLedger } from '../verify/verify.ts'
import { postTransfers, type Transfer } from './post.ts'

/** A model in plain code, which shares nothing with the SQL, does the same as the ledger, one by one. */

const database = testDatabase()
afterAll(async () => {
  expect((await verifyLedger(database.owner)).problems.filter(isAboutEntries)).toEqual([])
})

/** Random transfers need not make sense as a plan's months. */
const isAboutEntries = ({ check }: { check: string }) => !/taken back|month/.test(check)

const accounts = ['plan', 'purchased'] as const
const owners = ['user_one', 'user_two', 'user_three'] as const

interface TransferPlan {
  readonly key: number
  readonly owner: (typeof owners)[number]
  readonly account: OwnerAccount
  /** Two grants for each owner and account; `stranger` names one of another owner. */
  readonly grant: number
  readonly stranger: boolean
  readonly kind: 'plan_grant' | 'withdrawal' | 'refund' | 'adjustment'
  readonly amount: number
  /** What moves in the owner's other account. */
  readonly other: number
  readonly house: 'sold' | null
}

const rarely = fc.integer({ min: 0, max: 60 }).map((number) => number === 0)
const transferPlans: fc.Arbitrary<TransferPlan> = fc.record({
  key: fc.nat(150),
  owner: fc.constantFrom(...owners),
  account: fc.constantFrom(...accounts),
  grant: fc.nat(1),
  stranger: rarely,
  kind: fc.constantFrom('plan_grant', 'withdrawal', 'refund', 'adjustment'),
  amount: fc.oneof(
    { weight: 3, arbitrary: fc.integer({ min: 1, max: 60 }) },
    { weight: 1, arbitrary: fc.integer({ min: -30, max: -1 }) },
  ),
  other: fc.tuple(rarely, fc.integer({ min: -5, max: 5 })).map(([is, amount]) => (is ? amount : 0)),
  house: rarely.map((none) => (none ? null : 'sold')),
})
const usagePlans = fc.record({
  key: fc.nat(20),
  owner: fc.constantFrom(...owners),
  credits: fc.integer({ min: 1, max: 25 }),
})
/**
 * Batches choose from a few transfers and usages, so that the same one comes again, in the same batch and in
 * a later one.
 */
const histories = fc.record({
  transfers: fc.array(transferPlans, { minLength: 8, maxLength: 24 }),
  usages: fc.array(usagePlans, { minLength: 8, maxLength: 24 }),
  batches: fc.array(
    fc.record({
      of: fc.constantFrom('transfers' as const, 'usages' as const),
      // One alone takes a way of its own.
      chosen: fc.oneof(
        fc.array(fc.nat(1000), { minLength: 1, maxLength: 1 }),
        fc.array(fc.nat(1000), { minLength: 1, maxLength: 8 }),
      ),
    }),
    { minLength: 1, maxLength: 20, size: 'max' },
  ),
})

function choose<T>(from: readonly T[], numbers: readonly number[]): T[] {
  return numbers.flatMap((number) => from.slice(number % from.length, (number % from.length) + 1))
}

function grantOf(run: number, { owner, account, grant, stranger }: TransferPlan): Grant {
  const of = stranger ? owners[(owners.indexOf(owner) + 1) % owners.length] : owner
  const kind = account === 'plan' ? 'month' : 'late_month'
  return monthGrant(kind, user(`${of}_${run}`), {
    intent_id: null,
    stripe_subscription_id: `sub_${run}`,
    // A stranger's grant has the id of one that may be the owner's already.
    stripe_invoice_id: `in_${run}_${stranger ? 'any' : owner}_${grant}`,
    month_starts_at: kind === 'month' ? new Date(0) : null,
    starts_at: new Date(0),
    ends_at: new Date(1000),
  })
}

function transferOf(run: number, plan: TransferPlan): Transfer {
  const { account, amount, other, house } = plan
  return {
    idempotency_key: `batch/${run}/${plan.key}`,
    kind: plan.kind,
    grant: grantOf(run, plan),
    occurred_at: new Date(),
    intent_id: null,
    event_id: null,
    actor: 'test',
    reason: 'Test',
    plan: account === 'plan' ? amount : other,
    purchased: account === 'purchased' ? amount : other,
    house,
  }
}

function usageOf(
  run: number,
  { owner, key, credits }: { owner: string; key: number; credits: number },
): Usage {
  const id = `${owner}_${run}`
  return {
    owner_id: user(id),
    credits,
    idempotency_key: `${key}`,
    occurred_at: new Date(),
    actor: id,
    reason: 'Test',
  }
}

type Books = {
  /** The input of each key that was posted. */
  readonly inputs: Map<string, string>
  readonly grants: Map<string, string>
  /** By owner and account. */
  readonly heads: Map<string, { balance: number; version: number }>
}

const copyOf = ({ inputs, grants, heads }: Books): Books => ({
  inputs: new Map(inputs),
  grants: new Map(grants),
  heads: structuredClone(heads),
})

function headOf({ heads }: Books, owner: string, account: string) {
  const head = heads.get(`${owner} ${account}`) ?? { balance: 0, version: 0 }
  heads.set(`${owner} ${account}`, head)
  return head
}

/** Whether it is new; throws the name of the ledger's error. */
function postOne(books: Books, { idempotency_key, grant, kind, intent_id, ...moved }: Transfer): boolean {
  const { plan, purchased, house } = moved
  const input = JSON.stringify([kind, intent_id, grant.owner_id, grant.id, plan, purchased, house])
  const known = books.inputs.get(idempotency_key)
  if (known !== undefined) {
    if (known !== input) throw 'IdempotencyConflictError'
    return false
  }
  const identity = `${grant.owner_id} ${grant.account} ${grant.kind}`
  if ((books.grants.get(grant.id) ?? identity) !== identity) throw 'IdempotencyConflictError'
  books.grants.set(grant.id, identity)
  if ((plan === 0 && purchased === 0) || (plan + purchased === 0) !== (house === null)) {
    throw 'UnbalancedTransferError'
  }
  for (const account of accounts) {
    if (moved[account] === 0) continue
    const head = headOf(books, grant.owner_id, account)
    head.balance += moved[account]
    head.version += 1
  }
  books.inputs.set(idempotency_key, input)
  return true
}

function useOne(books: Books, { owner_id, idempotency_key, credits }: Usage) {
  const plan = headOf(books, owner_id, 'plan')
  const purchased = headOf(books, owner_id, 'purchased')
  const key = `usage ${owner_id} ${idempotency_key}`
  const known = books.inputs.get(key)
  let outcome = 'posted'
  if (known !== undefined) outcome = known === `${credits}` ? 'replayed' : 'conflict'
  else if (plan.balance + purchased.balance < credits) outcome = 'refused'
  else {
    books.inputs.set(key, `${credits}`)
    const fromPlan = Math.min(Math.max(plan.balance, 0), credits)
    for (const [head, spent] of [
      [plan, fromPlan],
      [purchased, credits - fromPlan],
    ] as const) {
      if (spent === 0) continue
      head.balance -= spent
      head.version += 1
    }
  }
  return { outcome, plan: plan.balance, purchased: purchased.balance }
}

let runs = 0

test('whatever is in a batch, it does what its transfers or usages would do one by one', {
  timeout: 120_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(histories, async (history) => {
      const run = ++runs
      let books: Books = { inputs: new Map(), grants: new Map(), heads: new Map() }
      const ids = new Map<string, number | null>()
      for (const { of, chosen } of history.batches) {
        const after = copyOf(books)
        if (of === 'usages') {
          const usages = choose(history.usages, chosen).map((one) => usageOf(run, one))
          const results = await spendCredits(database.server, usages)
          expect(results).toMatchObject(usages.map((usage) => useOne(after, usage)))
          for (const [index, { outcome, transfer_id }] of results.entries()) {
            const key = `${usages[index]?.owner_id} ${usages[index]?.idempotency_key}`
            if (outcome === 'posted') ids.set(key, transfer_id)
            expect(transfer_id).toBe(outcome === 'refused' ? null : ids.get(key))
          }
          books = after
          continue
        }
        const transfers = choose(history.transfers, chosen).map((one) => transferOf(run, one))
        let expected: { posted: boolean }[] | string
        try {
          expected = transfers.map((transfer) => ({ posted: postOne(after, transfer) }))
          books = after
        } catch (name) {
          expected = String(name)
        }
        const results = await postTransfers(database.worker, transfers).catch((error: Error) => error.name)
        if (typeof results === 'string' || typeof expected === 'string') {
          expect(results).toBe(expected)
          continue
        }
        expect(results).toMatchObject(expected)
        for (const [index, { posted, transfer_id }] of results.entries()) {
          const key = transfers[index]?.idempotency_key ?? ''
          if (posted) ids.set(key, transfer_id)
          expect(transfer_id).toBe(ids.get(key))
        }
      }
      for (const owner of owners) {
        const [plan, purchased] = accounts.map((account) => headOf(books, `${owner}_${run}`, account))
        expect(await findBalance(database.server, user(`${owner}_${run}`))).toMatchObject({
          plan: plan?.balance,
          purchased: purchased?.balance,
          version: (plan?.version ?? 0) + (purchased?.version ?? 0),
        })
      }
    }),
    { numRuns: 60, seed },
  )
})
