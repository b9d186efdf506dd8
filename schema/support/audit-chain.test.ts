import { sql } from 'kysely'
import { beforeEach, describe, expect, test } from 'vitest'
import { buildUser } from '../../tests/support/factories/users.ts'
import { testProduct } from '../../tests/support/product/start-test-product.ts'
import { verifyLedger } from '../ledger/verify/verify.ts'
import { listAudit, recordLook } from './audit.ts'
import { eraseAuditTexts } from './audit-chain.ts'

const { database } = testProduct()
const look = (actor = 'user_sam', detail = 'A look') =>
  recordLook(database.server, { actor, what: 'search', detail })
const problems = async () => (await verifyLedger(database.owner)).problems
const chained = (id: number) => [
  { check: 'every entry of the audit log follows from the one before it', subject: `audit entry ${id}` },
]

/** As the owner of the tables could: the triggers are off. */
async function tamper(statement: string): Promise<void> {
  await database.owner.transaction().execute(async (trx) => {
    await sql`SET LOCAL session_replication_role = replica`.execute(trx)
    await sql.raw(statement).execute(trx)
  })
}

describe('the audit log', () => {
  beforeEach(async () => {
    await tamper('DELETE FROM audit_log')
    for (const detail of ['first', 'second', 'third']) await look('user_sam', detail)
  })

  test('entries that are written at the same moment are one chain', async () => {
    await Promise.all(Array.from({ length: 40 }, (_, index) => look(`user_${index}`)))
    const entries = await listAudit(database.owner, {}, { limit: 100 })
    expect(entries.map(({ id }) => id)).toEqual(Array.from({ length: 43 }, (_, index) => 43 - index))
    expect(await problems()).toEqual([])
  })

  test.each([
    ['another actor', "UPDATE audit_log SET actor = 'user_mallory' WHERE id = 2", chained(2)],
    ['another time', "UPDATE audit_log SET at = at - interval '1 hour' WHERE id = 1", chained(1)],
    ['another outcome', "UPDATE audit_log SET outcome = 'denied' WHERE id = 3", chained(3)],
    ['one that was taken out', 'DELETE FROM audit_log WHERE id = 2', chained(3)],
    [
      'one that was put in',
      "INSERT INTO audit_log (id, actor, what, outcome) OVERRIDING SYSTEM VALUE VALUES (4, 'user_x', 'search', 'requested')",
      chained(4),
    ],
    [
      'another text',
      "UPDATE audit_log SET detail = 'nothing' WHERE id = 2",
      [
        {
          check: 'every entry of the audit log says what it said when it was written',
          subject: 'audit entry 2',
        },
      ],
    ],
  ])('the proof finds an entry that was changed: %s', async (_, statement, found) => {
    await tamper(statement)
    expect(await problems()).toEqual(found)
  })

  test('the texts about a person are erased, and the chain stays whole', async () => {
    const user = await buildUser(database.server)

    await recordLook(database.server, {
      actor: 'user_sam',
      what: 'open_case',
      owner_id: user,
      detail: 'Ada wrote',
    })
    const person = { user_id: user, objects: [user], names: [user] }
    await expect(eraseAuditTexts(database.server, person)).rejects.toThrow(/permission denied/)
    await eraseAuditTexts(database.worker, person)
    const [entry] = await listAudit(database.owner, { owner_id: user }, { limit: 1 })
    expect(entry).toMatchObject({ what: 'open_case', detail: null, salt: null })
    expect(await problems()).toEqual([])
    const change = database.worker.updateTable('audit_log').set({ detail: 'Something else' })
    await expect(change.execute()).rejects.toThrow(/append-only/)
  })
})
