import { rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { startPostgres } from './postgres.ts'
import { makeScratchFolder } from './test/tools/scratch-folder.ts'

async function query(url: string, statement: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(statement)).rows
  } finally {
    await client.end()
  }
}

test('a Postgres listens on the loopback address only, requires the password, which no other user can read, and keeps data and address from one start to the next', {
  timeout: 10 * 60_000,
}, async () => {
  const dataDir = await makeScratchFolder('tidemark-postgres-test')
  onTestFinished(() => rm(dataDir, { recursive: true, force: true }))
  const start = async () => {
    const postgres = await startPostgres({ dataDir, durable: false })
    onTestFinished(() => postgres.stop())
    return postgres
  }
  const first = await start()
  const { url, port } = first
  expect(await query(url, 'SHOW listen_addresses')).toEqual([{ listen_addresses: '127.0.0.1' }])
  await expect(query(`postgres://postgres:guess@127.0.0.1:${port}/postgres`, 'SELECT 1')).rejects.toThrow(
    /password/,
  )
  expect((await stat(join(dataDir, 'connection.json'))).mode & 0o077).toBe(0)
  expect((await stat(join(dataDir, 'cluster'))).mode & 0o077).toBe(0)
  await query(url, 'CREATE TABLE kept AS SELECT 42 AS number')
  await first.stop()
  const second = await start()
  expect(second.url).toBe(url)
  expect(await query(url, 'SELECT number FROM kept')).toEqual([{ number: 42 }])
})
