import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connectDatabase, type Database } from '../schema/database/connect.ts'
import { migrateToLatest } from '../schema/database/migrate.ts'
import { houseLeg, postTransfers, type Transfer } from '../schema/ledger/post.ts'
import { spendCredits } from '../schema/ledger/usage.ts'
import { verifyLedger } from '../schema/ledger/verify.ts'
import { createDatabase } from './database.ts'
import { startPostgres } from './postgres.ts'

/** `npm run bench`: how many transfers a second the ledger can post, on a Postgres of its own. It measures and asserts nothing. */

const connections = 20
const seconds = 5
const owners = 500

const dataDir = await mkdtemp(join(tmpdir(), 'tidemark-bench-'))
const postgres = await startPostgres({ dataDir, durable: false })
try {
  await createDatabase({ adminUrl: postgres.url, name: 'bench' })
  const connectionString = postgres.urlOf('bench')
  await migrateToLatest({ connectionString })
  const onError = () => undefined
  const worker = connectDatabase({ connectionString, role: 'tidemark_worker', poolMax: connections, onError })
  const server = connectDatabase({ connectionString, role: 'tidemark_server', poolMax: connections, onError })
  const owner = connectDatabase({ connectionString, role: 'owner', poolMax: 1, onError })
  try {
    await measure('grants, one by one', () => postTransfers(worker.db, [grant()]), 1)
    await measure(
      'grants, in batches of 50',
      () => postTransfers(worker.db, Array.from({ length: 50 }, grant)),
      50,
    )
    await measure('usage, one by one', () => use(server.db), 1)
    const started = performance.now()
    const { counts, problems } = await verifyLedger(owner.db)
    const tookMs = Math.round(performance.now() - started)
    say(`ledger:verify: ${counts.entries} entries in ${tookMs} ms, ${problems.length} problems`)
  } finally {
    await Promise.all([worker.close(), server.close(), owner.close()])
  }
} finally {
  await postgres.stop()
  await rm(dataDir, { recursive: true, force: true })
}

function anyOwner(): string {
  return `user_${Math.floor(Math.random() * owners)}`
}

function grant(): Transfer {
  return {
    idempotency_key: `bench/${randomUUID()}`,
    kind: 'plan_grant',
    occurred_at: new Date(),
    intent_id: null,
    event_id: null,
    actor: 'bench',
    reason: 'Bench',
    legs: [
      { owner_kind: 'user', owner_id: anyOwner(), account: 'plan', amount: 500 },
      houseLeg('granted', -500),
    ],
  }
}

function use(db: Database) {
  const owner_id = anyOwner()
  return spendCredits(db, {
    owner_kind: 'user',
    owner_id,
    credits: 1,
    idempotency_key: randomUUID(),
    occurred_at: new Date(),
    actor: owner_id,
    reason: 'Bench',
  })
}

async function measure(name: string, work: () => Promise<unknown>, each: number): Promise<void> {
  const latenciesMs: number[] = []
  const end = performance.now() + seconds * 1000
  await Promise.all(
    Array.from({ length: connections }, async () => {
      while (performance.now() < end) {
        const started = performance.now()
        await work()
        latenciesMs.push(performance.now() - started)
      }
    }),
  )
  latenciesMs.sort((a, b) => a - b)
  const at = (share: number) => (latenciesMs[Math.floor(latenciesMs.length * share)] ?? 0).toFixed(1)
  const perSecond = Math.round((latenciesMs.length * each) / seconds)
  say(`${name}: ${perSecond}/s over ${connections} connections, p50 ${at(0.5)} ms, p99 ${at(0.99)} ms`)
}

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}
