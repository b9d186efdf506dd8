import { sql } from 'kysely'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { rewoundDatabase } from '../../../tests/support/database/rewound-database.ts'
import {
  buildMonthGrant,
  buildPurchaseGrant,
  buildTransfer,
} from '../../../tests/support/factories/grants.ts'
import { buildPurchase, buildSettledPurchase } from '../../../tests/support/factories/purchases.ts'
import { buildGrant, postTransfer, spendNow } from '../../../tests/support/factories/transfers.ts'
import { dropCheckOf, tamper } from '../../../tests/support/faults/tamper.ts'
import { waitUntil } from '../../../tests/support/wait-until.ts'
import { checkoutKey } from '../keys.ts'
import { closeMonth } from '../post/books.ts'
import { postTransfers } from '../post/post.ts'
import { verifyLedger } from './verify.ts'

const september = new Date('2026-09-01T00:00:00Z')
const october = new Date('2026-10-01T00:00:00Z')
const ada = 'user_ada'

const database = rewoundDatabase(fillBooks)

const problemsOf = async (options = {}) => (await verifyLedger(database.owner, options)).problems
const checksOf = async (options = {}) => [...new Set((await problemsOf(options)).map(({ check }) => check))]

type Three = [PromiseWithResolvers<void>, PromiseWithResolvers<void>, PromiseWithResolvers<void>]

/** Whether a proof waits for a session that still posts. */
async function isWaitedFor(): Promise<boolean> {
  const { rows } = await sql`
    SELECT FROM pg_locks WHERE relation = 'ledger_owners'::regclass AND NOT granted`.execute(database.owner)
  return rows.length > 0
}

/** A purchase, two months of a plan of which one is closed, seats, usage of both accounts, a refund. */
async function fillBooks(): Promise<void> {
  const intent = await buildSettledPurchase(database, { stripe_session_id: 'cs_1', credits: 500 })
  const buyer = intent.user_id
  const bought = buildPurchaseGrant(buyer, intent.id)
  const first = buildMonthGrant(ada, september)
  const second = buildMonthGrant(ada, october)
  const seats = buildMonthGrant(ada, october, 'seats')
  await postTransfers(database.worker, [
    buildTransfer(
      bought,
      { kind: 'credit_purchase', ordinal: 1, amount: 500 },
      { idempotency_key: checkoutKey('cs_1'), intent_id: intent.id, reason: 'Credit “purchase”\n\t\\ 100 %' },
    ),
    buildTransfer(bought, { kind: 'refund', ordinal: 2, amount: -120 }),
    buildTransfer(first, { kind: 'plan_grant', ordinal: 1, amount: 300 }),
    buildGrant('user_ada', 50),
  ])
  await spendNow(database.server, ada, 200)
  await database.worker.transaction().execute(async (trx) => {
    await closeMonth(trx, ada, { stripe_subscription_id: 'sub_user_ada', starts_at: september, used: 200 })
    await postTransfers(trx, [
      buildTransfer(first, { kind: 'expiry', ordinal: 2, amount: -100 }),
      buildTransfer(second, { kind: 'plan_grant', ordinal: 1, amount: 300 }),
      buildTransfer(seats, { kind: 'seat_grant', ordinal: 1, amount: 30 }),
    ])
  })
  await spendNow(database.server, ada, 350)
  await spendNow(database.server, buyer, 380)
  await postTransfer(database.worker, buildTransfer(bought, { kind: 'refund', ordinal: 3, amount: -80 }))
}

describe('clean books', () => {
  test('clean books have no problems, and what is posted after a proof is no contradiction to it', async () => {
    const counts = { accounts: 3, transfers: 11, entries: 23, grants: 5, settled_intents: 1 }
    expect(await verifyLedger(database.owner, { keepProof: true })).toMatchObject({ problems: [], counts })
    await spendNow(database.server, ada, 1)
    await postTransfer(database.worker, buildGrant('user_new', 5))
    expect(await verifyLedger(database.owner, { keepProof: true })).toMatchObject({
      problems: [],
      counts: { ...counts, accounts: 4, transfers: 13, entries: 27, grants: 6 },
    })
    expect(await problemsOf()).toEqual([])
  })

  test('clean books have no problems when a text and its salt were erased', async () => {
    await sql`UPDATE ledger_transfers SET reason = NULL, reason_salt = NULL WHERE kind = 'refund'`.execute(
      database.owner,
    )
    expect(await problemsOf()).toEqual([])
  })

  test('a proof waits for a session that still posts, began last and drew the first number', async () => {
    const [begun, drawn, goesOn] = [0, 1, 2].map(() => Promise.withResolvers<void>()) as Three
    const first = database.worker.transaction().execute(async (trx) => {
      await sql`SELECT pg_current_xact_id()`.execute(trx)
      begun.resolve()
      await drawn.promise
      await postTransfer(trx, buildGrant('user_first', 5))
    })
    await begun.promise
    const slow = database.worker.transaction().execute(async (trx) => {
      await postTransfer(trx, buildGrant('user_slow', 5))
      drawn.resolve()
      await goesOn.promise
    })
    await first
    let isDone = false
    const proving = verifyLedger(database.owner, { keepProof: true }).finally(() => {
      isDone = true
    })
    await waitUntil(async () => isDone || (await isWaitedFor()), 'a proof, or a session that waits for it')
    goesOn.resolve()
    await slow
    expect((await proving).problems).toEqual([])
    expect(await problemsOf()).toEqual([])
  })

  test('clean books say how far they were read', async () => {
    const seen: unknown[] = []
    await verifyLedger(database.owner, {
      onProgress: ({ transfers, entries }) => seen.push({ transfers, entries }),
    })
    expect(seen.at(-1)).toEqual({ transfers: 11, entries: 23 })
  })
})

const lastEntry = `(SELECT max(transfer_id) FROM ledger_entries WHERE version IS NOT NULL)`

/** A change of the latest entries can be hidden from the check of the owners' rows. */
const followEntries = ['plan', 'purchased']
  .map(
    (name) => `
      UPDATE ledger_owners o SET ${name}_version = e.version, ${name}_balance = e.balance_after, ${name}_hash = e.hash
      FROM (SELECT DISTINCT ON (account_id) * FROM ledger_entries ORDER BY account_id, transfer_id DESC) e
      WHERE e.owner_id = o.owner_id AND e.account_id = o.${name}_account_id`,
  )
  .join(';')

describe('what was changed behind the ledger’s back is found:', () => {
  const changes: Record<string, Record<string, string>> = {
    'entries of a transfer sum to zero': {
      'an amount': `UPDATE ledger_entries SET amount = amount + 1 WHERE version = 1`,
      'an entry that is gone': `DELETE FROM ledger_entries WHERE version = 1`,
    },
    'every balance is the sum up to there': {
      'a balance': `UPDATE ledger_entries SET balance_after = 900 WHERE version = 1`,
    },
    'hashes of owners’ entries are chained': {
      'amount and balance of both sides, so that all sums agree': `UPDATE ledger_entries SET amount = amount + sign(amount), balance_after = balance_after + sign(amount)
       WHERE transfer_id = ${lastEntry}`,
      'the hash of an owner’s entry': `UPDATE ledger_entries SET hash = sha256('x') WHERE version = 2`,
      'the hash of a reason': `UPDATE ledger_transfers SET reason = NULL, reason_salt = NULL, reason_hash = sha256('x')`,
      'a time': `UPDATE ledger_transfers SET occurred_at = occurred_at - interval '1 microsecond'`,
      'the time of posting': `UPDATE ledger_transfers SET posted_at = posted_at + interval '1 microsecond'`,
      'an actor': `UPDATE ledger_transfers SET actor = 'eve'`,
      'an event': `UPDATE ledger_transfers SET event_id = 'evt_1'`,
      'the intent of a transfer': `UPDATE ledger_transfers SET intent_id = NULL`,
      'a key': `UPDATE ledger_transfers SET idempotency_key = idempotency_key || 'x'`,
      'a kind': `UPDATE ledger_transfers SET kind = 'dispute' WHERE kind = 'refund'`,
      'the hash of an input': `UPDATE ledger_transfers SET input_hash = sha256('x')`,
      'the grant of a transfer': `UPDATE ledger_transfers SET grant_id = (SELECT id FROM ledger_grants WHERE kind = 'seats')
       WHERE kind = 'expiry'`,
    },
    'hashes of house entries hang on their transfer': {
      'the hash of a house entry': `UPDATE ledger_entries SET hash = sha256('x') WHERE version IS NULL`,
      'the account of a house entry': `UPDATE ledger_entries SET account_id = 2 WHERE version IS NULL`,
    },
    'versions of an account run 1, 2, 3 without gaps': {
      'the version of an entry': `UPDATE ledger_entries SET version = version + 1 WHERE transfer_id = ${lastEntry}`,
      'a transfer that is gone with its entries': `DELETE FROM ledger_entries WHERE transfer_id = (SELECT id FROM ledger_transfers ORDER BY id OFFSET 2 LIMIT 1);
       DELETE FROM ledger_transfers WHERE id = (SELECT id FROM ledger_transfers ORDER BY id OFFSET 2 LIMIT 1)`,
    },
    'every entry has its transfer': {
      'a transfer without its entries': `DELETE FROM ledger_transfers WHERE id = ${lastEntry}`,
    },
    'every entry has its account': {
      'an account that is gone': `DELETE FROM ledger_accounts WHERE owner_id = 'user_ada'`,
    },
    'every transfer moves credits of its grant’s account': {
      'an account that is another owner’s': `UPDATE ledger_accounts SET owner_id = 'user_eve' WHERE owner_id = 'user_ada'`,
      'the owner of a grant': `UPDATE ledger_grants SET owner_id = 'user_eve' WHERE kind = 'month'`,
      'a grant that is gone': `DELETE FROM ledger_grants WHERE kind = 'seats'`,
      'a grant that is in the other account of its owner': `UPDATE ledger_grants SET account = 'plan' WHERE kind = 'adjustment'`,
      'a transfer in the other account of its owner': `UPDATE ledger_entries SET account_id = (SELECT plan_account_id FROM ledger_owners WHERE owner_id = 'user_ada')
       WHERE transfer_id = (SELECT id FROM ledger_transfers WHERE kind = 'adjustment') AND version IS NOT NULL`,
      'a transfer of no grant': `${dropCheckOf('grant_id IS NULL')}; UPDATE ledger_transfers SET grant_id = NULL WHERE kind = 'adjustment'`,
    },
    'owners’ entries have a version, house entries have none': {
      'an owner’s entry without its version': `UPDATE ledger_entries SET version = NULL, balance_after = NULL WHERE version = 2`,
    },
    'the text of a transfer has the hash that is kept of it': {
      'a reason': `UPDATE ledger_transfers SET reason = 'Gift'`,
      'the salt of a reason': `UPDATE ledger_transfers SET reason_salt = '\\x00'`,
      'a reason that lost its salt': `UPDATE ledger_transfers SET reason_salt = NULL`,
    },
    'every row of a transfer has its owner': {
      'the owner of a transfer': `UPDATE ledger_transfers SET owner_id = 'user_eve' WHERE kind = 'refund'`,
      'the owner of an owner’s entry': `UPDATE ledger_entries SET owner_id = 'user_eve' WHERE transfer_id = ${lastEntry} AND version IS NOT NULL`,
      'the owner of a house entry': `UPDATE ledger_entries SET owner_id = 'user_eve' WHERE transfer_id = ${lastEntry} AND version IS NULL`,
    },
    'every owner’s row has the latest entry of each account': {
      'a balance in an owner’s row': `UPDATE ledger_owners SET plan_balance = plan_balance + 1 WHERE plan_version > 0`,
      'a version in an owner’s row': `UPDATE ledger_owners SET purchased_version = purchased_version - 1 WHERE purchased_version > 0`,
      'a hash in an owner’s row': `UPDATE ledger_owners SET purchased_hash = sha256('x') WHERE purchased_version > 0`,
      'the account in an owner’s row': `UPDATE ledger_owners SET plan_account_id = purchased_account_id`,
      'an owner’s row that is that of the other account': `UPDATE ledger_owners SET purchased_account_id = plan_account_id, plan_account_id = purchased_account_id`,
      'an owner’s row that is gone': `DELETE FROM ledger_owners WHERE owner_id = 'user_ada'`,
    },
    'every transfer is kept under its key': {
      'a key that is gone': `DELETE FROM ledger_keys WHERE idempotency_key = 'checkout/cs_1'`,
      'a key of another owner': `UPDATE ledger_keys SET owner_id = 'user_eve' WHERE idempotency_key = 'checkout/cs_1'`,
      'a key in the place of another one': `UPDATE ledger_keys SET idempotency_key = 'checkout/cs_none' WHERE idempotency_key = 'checkout/cs_1'`,
      'what is kept under a key': `UPDATE ledger_keys SET input_hash = sha256('x') WHERE idempotency_key = 'checkout/cs_1'`,
    },
    'every key has its transfer': {
      'a key under which nothing was posted': `INSERT INTO ledger_keys (owner_id, idempotency_key, transfer_id, input_hash) SELECT owner_id, 'checkout/cs_2', transfer_id, input_hash FROM ledger_keys
       WHERE idempotency_key = 'checkout/cs_1'`,
    },
    'every intent that a transfer names is there': {
      'an intent that is gone': `DELETE FROM checkout_intents`,
    },
    'what is left of a month pays debts, and the rest expires': {
      'the month of seats': `UPDATE ledger_grants SET stripe_subscription_id = 'sub_other' WHERE kind = 'seats';
       INSERT INTO ledger_months_used SELECT 'sub_other', month_starts_at, owner_id, 0 FROM ledger_grants WHERE kind = 'seats'`,
      'what a month used': `UPDATE ledger_months_used SET used = used + 1`,
      'a closing that is gone': `DELETE FROM ledger_months_used`,
    },
    'closed months used no more than was used': {
      'a month that used more than was used': `UPDATE ledger_months_used SET used = 1000`,
    },
    'every purchase has its settled intent': {
      'the state of an intent': `UPDATE checkout_intents SET state = 'failed', settled_at = NULL`,
    },
    'every settled intent has its grant, with the credits of its terms': {
      'the terms of an intent': `UPDATE checkout_intents SET credits = 501`,
      'the session of an intent': `UPDATE checkout_intents SET stripe_session_id = 'cs_2'`,
    },
  }
  const cases = Object.entries(changes).flatMap(([check, of]) =>
    Object.entries(of).map(([what, statement]) => [what, statement, check] as const),
  )
  test.each(cases)('%s', async (_, statement, check) => {
    await tamper(database, statement)
    expect(await checksOf()).toContain(check)
  })
})

describe('what the functions did wrong is found:', () => {
  /** Replaces a function for this test. */
  async function changeFunction(name: string, change: (definition: string) => string): Promise<void> {
    const { rows } = await sql<{ definition: string }>`
      SELECT pg_get_functiondef(oid) AS definition FROM pg_proc WHERE proname = ${name}`.execute(
      database.owner,
    )
    for (const { definition } of rows) {
      const changed = change(definition)
      expect(changed).not.toBe(definition)
      await sql.raw(changed).execute(database.owner)
      onTestFinished(async () => void (await sql.raw(definition).execute(database.owner)))
    }
  }

  const changeHash = (...without: string[]) =>
    changeFunction('ledger_entry_hash', () => {
      const all = ['previous', 'digest', 'account_id', 'amount', 'version', 'balance_after']
      const bytes = (part: string) =>
        part === 'previous' || part === 'digest'
          ? `coalesce(${part}, ''::bytea)`
          : `coalesce(int8send(${part}), ''::bytea)`
      return `
      CREATE OR REPLACE FUNCTION ledger_entry_hash(
        previous bytea, digest bytea, account_id bigint, amount bigint, version bigint, balance_after bigint
      ) RETURNS bytea LANGUAGE sql IMMUTABLE AS $$
        SELECT sha256(${all
          .filter((part) => !without.includes(part))
          .map(bytes)
          .join(' || ')}) $$`
    })

  async function post(): Promise<void> {
    await spendNow(database.server, ada, 1)
    await postTransfer(database.worker, buildGrant('user_ada', 5))
  }

  test('nothing, when the hash has all its parts', async () => {
    await changeHash()
    await post()
    expect(await problemsOf()).toEqual([])
  })

  test.each(['previous', 'digest', 'account_id', 'amount', 'version', 'balance_after'])(
    'the hash of an entry without its %s',
    async (part) => {
      await changeHash(part)
      await post()
      expect(await checksOf()).toContain('hashes of owners’ entries are chained')
    },
  )

  test.each([
    ['grant_id', 'NULL::text'],
    ['reason_hash', "''::bytea"],
    ['kind', "'usage'::text"],
    ['occurred_at', "'epoch'::timestamptz"],
    ['actor', "'test'::text"],
    ['idempotency_key', "'key'::text"],
  ])('the digest of a transfer without its %s', async (column, constant) => {
    await changeFunction('ledger_transfer_digest', (definition) =>
      definition.replaceAll(new RegExp(`transfer\\.${column}\\b`, 'g'), constant),
    )
    await post()
    expect(await checksOf()).toContain('hashes of owners’ entries are chained')
  })

  test('usage that the balance did not cover', async () => {
    await changeFunction('ledger_spend', (definition) =>
      definition.replace(
        'request.failure IS NULL AND ledger_available(owner) < greatest(request.credits, 1)',
        'false',
      ),
    )
    await spendNow(database.server, ada, 10_000)
    expect(await checksOf()).toEqual(['no usage and no purchase takes an account below zero'])
  })
})

describe('what was posted wrongly is found:', () => {
  const eve = 'user_eve'
  const wrong = [
    [
      'more taken back than a grant brought',
      'refund',
      -1000,
      'no more is taken back of a grant than it brought',
    ],
    [
      'a dispute won that was never lost',
      'dispute_won',
      1,
      'no more is taken back of a grant than it brought',
    ],
    ['the expiry of a purchase', 'expiry', -1, 'months alone are closed, by what expires or is written off'],
  ] as const
  test.each(wrong)('%s', async (_, kind, amount, check) => {
    await postTransfers(database.worker, [
      buildTransfer(buildPurchaseGrant(eve, '00000000-0000-4000-8000-000000000001'), {
        kind,
        ordinal: 1,
        amount,
      }),
    ])
    expect(await checksOf()).toContain(check)
  })

  test('a month that expired while it was open', async () => {
    const month = buildMonthGrant(eve, september)
    await postTransfers(database.worker, [
      buildTransfer(month, { kind: 'plan_grant', ordinal: 1, amount: 100 }),
      buildTransfer(month, { kind: 'expiry', ordinal: 2, amount: -10 }),
    ])
    expect(await checksOf()).toEqual(['what is left of a month pays debts, and the rest expires'])
  })

  test('a debt that was not paid from the next month before it expired', async () => {
    const first = buildMonthGrant(eve, september)
    const second = buildMonthGrant(eve, october)
    await postTransfer(database.worker, buildTransfer(first, { kind: 'plan_grant', ordinal: 1, amount: 100 }))
    await spendNow(database.server, eve, 100)
    const close = (starts_at: Date, used: number) =>
      database.worker
        .transaction()
        .execute((trx) => closeMonth(trx, eve, { stripe_subscription_id: 'sub_user_eve', starts_at, used }))
    await close(september, 100)
    await postTransfers(database.worker, [
      buildTransfer(first, { kind: 'refund', ordinal: 2, amount: -100 }),
      buildTransfer(second, { kind: 'plan_grant', ordinal: 1, amount: 130 }),
    ])
    await close(october, 0)
    await postTransfer(database.worker, buildTransfer(second, { kind: 'expiry', ordinal: 2, amount: -30 }))
    expect(await problemsOf()).toEqual([])
    await postTransfer(database.worker, buildTransfer(second, { kind: 'expiry', ordinal: 3, amount: -100 }))
    expect(await checksOf()).toEqual(['what is left of a month pays debts, and the rest expires'])
  })

  test('a settled intent that was never granted', async () => {
    const intent = await buildPurchase(database.server, { stripe_session_id: 'cs_none' })
    await tamper(
      database,
      `UPDATE checkout_intents SET state = 'settled', settled_at = now() WHERE id = '${intent.id}'`,
    )
    expect(await problemsOf()).toEqual([
      {
        check: 'every settled intent has its grant, with the credits of its terms',
        subject: `intent ${intent.id}`,
      },
    ])
  })
})

describe('the last proof', () => {
  beforeEach(async () => {
    expect(await problemsOf({ keepProof: true })).toEqual([])
  })

  test('the last proof shows that the latest transfers are gone, which leaves no gap', async () => {
    await tamper(
      database,
      `
      DELETE FROM ledger_entries WHERE transfer_id = ${lastEntry};
      DELETE FROM ledger_transfers t WHERE NOT EXISTS (SELECT FROM ledger_entries e WHERE e.transfer_id = t.id);
      DELETE FROM ledger_keys k WHERE NOT EXISTS (SELECT FROM ledger_transfers t WHERE t.id = k.transfer_id);
      ${followEntries}`,
    )
    expect(await checksOf()).toEqual(['what was proven is still there'])
  })

  test('the last proof is compared with the books as they were then', async () => {
    await spendNow(database.server, ada, 1)
    await tamper(database, `UPDATE ledger_proofs SET heads_digest = sha256('x')`)
    expect(await checksOf()).toEqual(['what was proven is still there'])
  })

  test('the last proof is not kept when something is wrong', async () => {
    await tamper(database, `UPDATE ledger_transfers SET reason = 'Gift'`)
    expect(await problemsOf({ keepProof: true })).not.toEqual([])
    expect(await database.owner.selectFrom('ledger_proofs').select('id').execute()).toHaveLength(1)
  })
})
