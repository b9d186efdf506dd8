import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { findOperatorKey } from '../schema/extension/operator-keys.ts'
import { testDatabase } from '../tests/support/database/test-database.ts'
import { compileCache } from '../tests/support/product/product-process.ts'

const database = testDatabase()

function run(...args: string[]) {
  const env = { PATH: process.env.PATH, ...compileCache, DATABASE_URL: database.url, NODE_ENV: 'test' }
  return promisify(execFile)(process.execPath, [join(import.meta.dirname, 'operator-key.ts'), ...args], {
    env,
  }).then(
    ({ stdout }) => ({ code: 0, stdout, stderr: '' }),
    ({ code, stdout, stderr }: { code: number; stdout: string; stderr: string }) => ({
      code,
      stdout,
      stderr,
    }),
  )
}

test('the operator makes several keys, which are shown once, lists them and revokes one, and the audit log says so', async () => {
  const made = [await run('create', 'gateway'), await run('create', 'gateway')]
  const keys = made.map(({ stdout }) => /^tideop_[\w-]{43}$/m.exec(stdout)?.[0] ?? '')
  const ids = made.map(({ stdout }) => stdout.slice(0, 36))
  expect(new Set(keys).size).toBe(2)
  const listed = (await run('list')).stdout
  for (const id of ids) expect(listed).toContain(`${id}  gateway  created `)
  for (const key of keys) expect(listed).not.toContain(key)
  expect(await run('revoke', ids[0] ?? '')).toMatchObject({ code: 0, stdout: `${ids[0]} is revoked\n` })
  const found = await Promise.all(keys.map((key) => findOperatorKey(database.server, key)))
  expect(found).toMatchObject([
    { id: ids[0], revoked_at: expect.any(Date) },
    { id: ids[1], revoked_at: null },
  ])
  const audit = await database.owner.selectFrom('audit_log').selectAll().orderBy('id').execute()
  expect(audit.map(({ what, target_id, detail }) => [what, target_id, detail])).toEqual([
    ['create_operator_key', ids[0], 'gateway'],
    ['create_operator_key', ids[1], 'gateway'],
    ['revoke_operator_key', ids[0], 'gateway'],
  ])
  expect(audit.every(({ actor }) => actor.startsWith('cli:'))).toBe(true)
})

test.each([
  [2, []],
  [2, ['create']],
  [2, ['create', '--help']],
  [2, ['list', 'all']],
  [1, ['create', 'a name with spaces']],
  [1, ['revoke', '4f9c1a52-1df5-4ba0-9d55-3b8f4cf5a000']],
  [1, ['revoke', 'gateway']],
])('the command ends with exit code %i for %j and changes nothing', async (code, args) => {
  const before = await database.owner.selectFrom('operator_keys').selectAll().execute()
  expect(await run(...args)).toMatchObject({ code, stdout: '' })
  expect(await database.owner.selectFrom('operator_keys').selectAll().execute()).toEqual(before)
})

test('a login of a process can neither make a key, revoke one nor change one', async () => {
  for (const db of [database.server, database.worker]) {
    const row = {
      id: '4f9c1a52-1df5-4ba0-9d55-3b8f4cf5a000',
      name: 'x',
      key_hash: Buffer.alloc(32),
      created_at: new Date(),
    }
    await expect(db.insertInto('operator_keys').values(row).execute()).rejects.toMatchObject({
      code: '42501',
    })
    await expect(db.updateTable('operator_keys').set({ revoked_at: null }).execute()).rejects.toMatchObject({
      code: '42501',
    })
    await expect(db.deleteFrom('operator_keys').execute()).rejects.toMatchObject({ code: '42501' })
  }
})
