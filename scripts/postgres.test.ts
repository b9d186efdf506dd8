import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { expect, test, vi } from 'vitest'
import { describeLong } from '../tests/support/describe-long.ts'
import { madeForEachTest } from '../tests/support/made.ts'
import { findPostmaster } from './postgres/postmaster.ts'
import { runningPostgresUrl, startPostgres } from './postgres.ts'
import { waitForDeath } from './processes/alive.ts'

// Each makes and starts a database or several, beside other tests that fill the machine.
vi.setConfig({ testTimeout: 10 * 60_000, hookTimeout: 10 * 60_000 })

const place = madeForEachTest(
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'tidemark-postgres-test-'))
    await chmod(folder, 0o711)
    const running = new AsyncDisposableStack()
    running.defer(() => rm(folder, { recursive: true, force: true }))
    return { folder, dataDir: join(folder, 'data'), running }
  },
  ({ running }) => running.disposeAsync(),
)

async function start({ durable = false } = {}) {
  const postgres = await startPostgres({ dataDir: place.dataDir, durable })
  place.running.defer(() => postgres.stop())
  return postgres
}

async function query<T extends pg.QueryResultRow>(url: string, statement: string): Promise<T[]> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => undefined)
  await client.connect()
  try {
    return (await client.query<T>(statement)).rows
  } finally {
    await client.end()
  }
}

test('a Postgres listens on the loopback address only, requires the password, which no other user can read, and keeps data and address from one start to the next', {
  timeout: 5 * 60_000,
}, async () => {
  const first = await start()
  const { url, port } = first
  expect(await query(url, 'SHOW listen_addresses')).toEqual([{ listen_addresses: '127.0.0.1' }])
  await expect(query(`postgres://postgres:guess@127.0.0.1:${port}/postgres`, 'SELECT 1')).rejects.toThrow(
    /password/,
  )
  expect((await stat(join(place.dataDir, 'connection.json'))).mode & 0o077).toBe(0)
  expect((await stat(join(place.dataDir, 'cluster'))).mode & 0o077).toBe(0)
  await query(url, 'CREATE TABLE kept AS SELECT 42 AS number')
  await first.stop()
  const second = await start()
  expect(second.url).toBe(url)
  expect(await query(url, 'SELECT number FROM kept')).toEqual([{ number: 42 }])
})

// Each test makes a Postgres of its own; by default the one above shows that it starts again.
describeLong('a Postgres that was stopped or killed, or that runs', () => {
  test('committed rows are there after a power cut, on the same address', async () => {
    const postgres = await start({ durable: true })
    await query(postgres.url, 'CREATE TABLE kept AS SELECT 42 AS number')
    await postgres.kill()
    await expect(query(postgres.url, 'SELECT 1')).rejects.toThrow()
    await postgres.restart()
    expect(await query(postgres.url, 'SELECT number FROM kept')).toEqual([{ number: 42 }])
  })

  test('a pid file whose number another program has now does not stop it from starting', async () => {
    const first = await start()
    await first.stop()
    // One whose argument looks like Postgres.
    const other = spawn(process.execPath, ['-e', 'setInterval(() => undefined, 1000)', '/bin/postgres'])
    place.running.defer(() => void other.kill())
    await once(other, 'spawn')
    await writeFile(join(place.dataDir, 'cluster/postmaster.pid'), `${other.pid}\n${place.folder}\n1\n5432\n`)
    const second = await start()
    expect(await query(second.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }])
    expect(other.exitCode ?? other.signalCode).toBeNull()
  })

  test('a Postgres that a killed launcher left behind is taken over', async () => {
    const launcher = await startInAnotherProcess()
    const left = await findPostmaster(join(place.dataDir, 'cluster'))
    launcher.kill('SIGKILL')
    await once(launcher, 'exit')
    const postgres = await start()
    expect(await waitForDeath(left?.pid ?? 0, 0)).toBe(true)
    expect(await query(postgres.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }])
  })

  test('a command finds the Postgres that a running launcher uses, and none of a launcher that has ended', async () => {
    const launcher = await startInAnotherProcess()
    const url = await runningPostgresUrl(place.dataDir, 'postgres')
    expect(await query(url ?? '', 'SELECT 1 AS one')).toEqual([{ one: 1 }])
    launcher.kill('SIGTERM')
    await once(launcher, 'exit')
    expect(await runningPostgresUrl(place.dataDir, 'postgres')).toBeUndefined()
  })

  test('a folder of another version is refused with a way out', async () => {
    const postgres = await start()
    await postgres.stop()
    const version = join(place.dataDir, 'cluster/PG_VERSION')
    const installed = (await readFile(version, 'utf8')).trim()
    await writeFile(version, '12\n')
    await expect(start()).rejects.toThrow(`was made by Postgres 12, and the install brings ${installed}`)
  })
})

/** Stops its Postgres on SIGTERM; on SIGKILL it cannot. */
async function startInAnotherProcess() {
  const script = `
    const { startPostgres } = await import('./scripts/postgres.ts')
    const postgres = await startPostgres({ dataDir: ${JSON.stringify(place.dataDir)}, durable: false })
    process.once('SIGTERM', () => postgres.stop().then(() => process.exit()))
    console.log('started')
    setInterval(() => undefined, 1000)`
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await once(child.stdout, 'data')
  return child
}
