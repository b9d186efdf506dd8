import { expect, test } from 'vitest'
import { rewoundDatabase } from '../../../tests/support/database/rewound-database.ts'
import { use } from '../../../tests/support/factories/grants.ts'
import { buildGrant } from '../../../tests/support/factories/transfers.ts'
import { dropCheckOf, tamper } from '../../../tests/support/faults/tamper.ts'
import { postTransfers } from '../post/post.ts'
import { type VerifyOptions, verifyLedger } from './verify.ts'

const database = rewoundDatabase(fillBooks)
const ada = 'user_ada'
let provenId = 0

/** What was proven, and what was posted since: both by two owners. `tamper` cannot switch a CHECK off. */
async function fillBooks(): Promise<void> {
  await postTransfers(database.worker, [buildGrant('user_ada', 100), buildGrant('user_eve', 200)])
  await use(database.server, ada, 10)
  const { problems, proof } = await verifyLedger(database.owner, { keepProof: true })
  expect(problems).toEqual([])
  provenId = proof?.transfer_id ?? 0
  await postTransfers(database.worker, [buildGrant('user_ada', 30), buildGrant('user_eve', 40)])
  await use(database.server, ada, 20)
  await tamper(database, dropCheckOf('grant_id IS NULL'))
}

async function checksOf(options: VerifyOptions): Promise<string[]> {
  const { problems } = await verifyLedger(database.owner, options)
  return [...new Set(problems.map(({ check }) => check))]
}

const later = `(SELECT max(id) FROM ledger_transfers WHERE grant_id IS NOT NULL AND owner_id = 'user_ada')`

/** A full run and one that goes on from the proof find the same. */
const checksOfBoth = () => Promise.all([checksOf({}), checksOf({ incremental: true })])

test('books to which something was added since the last proof are right', async () => {
  expect(await checksOfBoth()).toEqual([[], []])
})

test('the last proof is compared with the books as they were then', async () => {
  await tamper(database, `UPDATE ledger_proofs SET heads_digest = sha256('x')`)
  const checks = ['what was proven is still there']
  expect(await checksOfBoth()).toEqual([checks, checks])
})

test.each([
  [
    'a key in the place of another one',
    `UPDATE ledger_keys SET idempotency_key = 'checkout/cs_none' WHERE transfer_id = ${later}`,
    ['every transfer is kept under its key', 'every key has its transfer'],
  ],
  [
    'what a key was used for',
    `UPDATE ledger_keys SET input_hash = sha256('x') WHERE transfer_id = ${later}`,
    ['every transfer is kept under its key'],
  ],
  [
    'a key of another owner',
    `UPDATE ledger_keys SET owner_id = 'user_eve' WHERE transfer_id = ${later}`,
    ['every transfer is kept under its key', 'every key has its transfer'],
  ],
  [
    'a transfer in the other account of its owner',
    `UPDATE ledger_entries SET account_id = (SELECT plan_account_id FROM ledger_owners WHERE owner_id = 'user_ada')
       WHERE transfer_id = ${later} AND version IS NOT NULL`,
    ['every transfer moves credits of its grant’s account'],
  ],
  [
    'a grant that is in the other account of its owner',
    `UPDATE ledger_grants SET account = 'plan' WHERE owner_id = 'user_ada'`,
    ['every transfer moves credits of its grant’s account'],
  ],
  [
    'a grant that is gone',
    `DELETE FROM ledger_grants WHERE owner_id = 'user_ada'`,
    ['every transfer moves credits of its grant’s account'],
  ],
  [
    'a transfer of another owner’s grant',
    `UPDATE ledger_transfers SET grant_id = (SELECT id FROM ledger_grants WHERE owner_id = 'user_eve' LIMIT 1) WHERE id = ${later}`,
    ['every transfer moves credits of its grant’s account'],
  ],
  [
    'a transfer of no grant',
    `UPDATE ledger_transfers SET grant_id = NULL WHERE id = ${later}`,
    ['every transfer moves credits of its grant’s account'],
  ],
  [
    'an owner’s row that is that of the other account',
    `UPDATE ledger_owners SET purchased_account_id = plan_account_id, plan_account_id = purchased_account_id WHERE owner_id = 'user_ada'`,
    ['every owner’s row has the latest entry of each account'],
  ],
])('%s is found', async (_, statement, checks) => {
  await tamper(database, statement)
  const found = expect.arrayContaining(checks)
  expect(await checksOfBoth()).toEqual([found, found])
})

test('owners’ rows are compared with what was posted after the books are proven up to', async () => {
  const options = { keepProof: true, upTo: provenId }
  expect(await checksOf(options)).toEqual([])
  await tamper(
    database,
    `UPDATE ledger_owners o SET purchased_version = e.version, purchased_balance = e.balance_after, purchased_hash = e.hash
     FROM ledger_entries e
     WHERE o.owner_id = 'user_eve' AND e.owner_id = o.owner_id AND e.account_id = o.purchased_account_id AND e.version = 1`,
  )
  expect(await checksOf(options)).toEqual(['every owner’s row has the latest entry of each account'])
})
