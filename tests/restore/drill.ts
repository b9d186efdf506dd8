import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { purchaseCredits } from '../../schema/api/checkout.ts'
import { migrateToLatest } from '../../schema/database/migrate.ts'
import { findBalance } from '../../schema/ledger/read/balances.ts'
import { verifyLedger } from '../../schema/ledger/verify/verify.ts'
import { createLogger } from '../../schema/log.ts'
import { ensureUser } from '../../schema/people/users/users.ts'
import { createDatabase } from '../../scripts/database.ts'
import { clusterPaths } from '../../scripts/postgres/cluster.ts'
import { type RunningPostgres, startPostgres } from '../../scripts/postgres.ts'
import { restoreCheckouts } from '../../scripts/restore/restore-checkouts.ts'
import { restoreErasures } from '../../scripts/restore/restore-erasures.ts'
import { forgetPerson } from '../../worker/support/forget.ts'
import { readStripeEvents } from '../../worker/tasks/read-stripe-events.ts'
import { rowsWith } from '../support/database/rows-with.ts'
import { connectTestDatabase } from '../support/database/test-database.ts'
import { buildPaidPlan } from '../support/factories/paid-purchases.ts'
import { spendNow } from '../support/factories/transfers.ts'
import { buildUser } from '../support/factories/users.ts'
import { type Clockwork, startClockwork } from '../support/product/clockwork.ts'
import { startTestProduct, type TestProduct } from '../support/product/start-test-product.ts'
import { signUp, startClerk, type TestClerk } from '../support/services/clerk.ts'
import { waitUntil } from '../support/wait-until.ts'
import { archiveEverything, archiving, putBack, takeBaseBackup } from './base-backup.ts'

type Balances = Readonly<Record<string, number>>

export interface Restored {
  /** Right after Postgres came back, before anything else. */
  readonly found: Balances
  readonly restored_checkouts: number
  readonly missed_events: number
  /** When everything was done. */
  readonly balances: Balances
  /** A second look at Stripe's list, after which nothing may have changed. */
  readonly missed_again: number
  readonly balances_again: Balances
  readonly problems: readonly unknown[]
  /** Rows that name the person who was erased after the backup: as found, and when that was done again. */
  readonly rows_naming_eve: { readonly found: number; readonly left: number }
}

export interface DrillReport {
  readonly at_backup: Balances
  readonly at_crash: Balances
  readonly from_backup_and_archive: Restored
  readonly from_backup_alone: Restored
}

const minuteMs = 60_000

/**
 * Loses a database and restores it twice from one base backup: with the archive of the log, and without. Real
 * Postgres, the real server and the worker's own jobs, at the stand-in of Stripe, which goes on while ours is
 * away.
 */
export async function runRestoreDrill(say: (line: string) => void): Promise<DrillReport> {
  await using running = new AsyncDisposableStack()
  const dataDir = await mkdtemp(join(tmpdir(), 'tidemark-restore-'))
  running.defer(() => rm(dataDir, { recursive: true, force: true }))
  await chmod(dataDir, 0o711)
  const folders = {
    data: clusterPaths(dataDir).data,
    archive: join(dataDir, 'archive'),
    backup: join(dataDir, 'backup'),
  }
  await mkdir(folders.archive)
  await chmod(folders.archive, 0o777)
  let postgres = await startPostgres({ dataDir, settings: archiving(folders.archive) })
  running.defer(() => postgres.stop())
  await createDatabase({ adminUrl: postgres.url, name: 'tidemark' })
  const url = postgres.urlOf('tidemark')
  await migrateToLatest({ connectionString: url })
  const database = connectTestDatabase(url)
  running.defer(() => database.close())
  const product = await startTestProduct({ database, stripe: 'with_prices', clerk: 'trusting' })
  running.defer(() => product.close())
  const clerk = await startClerk()
  running.defer(() => clerk.stop())
  const shop = openShop(product, clerk)

  await shop.liveBeforeBackup()
  const at_backup = await shop.balances()
  const backupAt = new Date()
  await takeBaseBackup(postgres.url, folders)
  say(`backup taken; balances ${show(at_backup)}`)

  await shop.liveAfterBackup()
  const at_crash = await shop.balances()
  await archiveEverything(postgres.url)
  say(
    `then two purchases that began after it, one that began before, a refund, and usage of 50; balances ${show(at_crash)}`,
  )

  const restore = async (with_archive: boolean): Promise<Restored> => {
    await postgres.kill()
    const settings = await putBack(folders, { with_archive })
    postgres = await startPostgres({ dataDir, settings })
    await untilWritable(postgres)
    say(`${with_archive ? 'base backup and archive of the log' : 'base backup alone'}: Postgres runs again`)
    return shop.catchUp(backupAt, say)
  }
  const from_backup_and_archive = await restore(true)
  const from_backup_alone = await restore(false)
  return { at_backup, at_crash, from_backup_and_archive, from_backup_alone }
}

function openShop(product: TestProduct, clerk: TestClerk) {
  const { database, server, stripe } = product
  const people: Record<string, string> = {}
  /** What the worker logs, which is kept outside of the database. */
  const logged: { msg?: string; user_id?: string }[] = []
  const log = createLogger({
    process: 'worker',
    level: 'info',
    destination: { write: (line) => logged.push(JSON.parse(line)) },
  })
  const startWorker = () => startClockwork(database, { stripe: stripe.client, clerk: clerk.directory, log })
  let clockwork: Clockwork = startWorker()
  let eve = ''
  const countRowsOfEve = async () => (await rowsWith(database, [eve])).length

  async function open(name: string): Promise<string> {
    const clerkUserId = people[name] ?? (await buildUser(database.owner))
    people[name] = clerkUserId
    const body = { clerkUserId, credits: 500, amount: 7, currency: 'EUR' } as const
    return (await server.ask(purchaseCredits, { token: clerkUserId, body })).sessionId
  }
  const pay = (sessionId: string) => stripe.knob(`sessions/${sessionId}/pay`)
  const buy = async (name: string) => pay(await open(name))
  const spend = (name: string, credits: number, reason = 'Drill') =>
    spendNow(database.server, people[name] ?? '', credits, { reason })
  /** Reads Stripe's list as the worker does every minute, and lets its jobs and the claim run for five. */
  async function settle(): Promise<number> {
    await clockwork.pass(5 * minuteMs)
    const missed = await readStripeEvents(clockwork.deps)
    await clockwork.pass(5 * minuteMs)
    return missed
  }
  async function balances(): Promise<Balances> {
    const entries = Object.entries(people).map(
      async ([name, owner_id]) => [name, (await findBalance(database.owner, owner_id)).total] as const,
    )
    return Object.fromEntries(await Promise.all(entries))
  }
  let openSession = ''
  return {
    balances,
    async liveBeforeBackup() {
      const person = await signUp(clerk, { first_name: 'Eve' })
      eve = person.email
      people.eve = person.user_id
      await ensureUser(database.owner, { ...profileOf(person.user_id), email: eve, first_name: 'Eve' })
      await buy('eve')
      await buy('ada')
      people.bob = (await buildPaidPlan({ database, stripe })).user_id
      openSession = await open('cleo')
      await settle()
      await spend('ada', 100)
      await spend('eve', 20, `Letter to ${eve}`)
    },
    async liveAfterBackup() {
      const [charge] = (await stripe.client.charges.list({ limit: 100 })).data.filter(
        ({ amount, created }) => amount === 700 && created > 0,
      )
      await pay(openSession)
      await buy('ada')
      await buy('dan')
      await stripe.client.refunds.create({ charge: charge?.id ?? '' })
      await settle()
      await spend('ada', 50)
      await forgetPerson(clockwork.deps, { user_id: people.eve ?? '', is_dry_run: false })
    },
    /** What the runbook says after a restore. */
    async catchUp(since: Date, say: (line: string) => void): Promise<Restored> {
      // Its worker was stopped with the database.
      clockwork = startWorker()
      const found = await balances()
      const found_of_eve = await countRowsOfEve()
      say(`  found: ${show(found)}; books ${await proof()}`)
      const checkouts = await restoreCheckouts(
        { db: database.owner, stripe: stripe.client, findProfile: async (id) => profileOf(id) },
        since,
      )
      const missed_events = await settle()
      const after = await balances()
      say(
        `  ${checkouts.restored.length} checkouts written again, ${missed_events} events found in Stripe's list: ${show(after)}`,
      )
      const missed_again = await settle()
      const user_ids = logged.flatMap(({ msg, user_id }) =>
        msg === 'A person is erased' && user_id ? [user_id] : [],
      )
      const { erased, left } = await restoreErasures(clockwork.deps, { user_ids, actor: 'cli:drill' })
      if (left.length > 0) throw new Error(left.map(({ why }) => why).join())
      const rows_naming_eve = { found: found_of_eve, left: await countRowsOfEve() }
      say(
        `  ${erased.length} erased again, by the log: ${found_of_eve} rows named her, ${rows_naming_eve.left} do`,
      )
      const { problems } = await verifyLedger(database.owner)
      say(`  read once more: ${missed_again} events; books ${await proof()}`)
      return {
        found,
        restored_checkouts: checkouts.restored.length,
        missed_events,
        balances: after,
        missed_again,
        balances_again: await balances(),
        problems,
        rows_naming_eve,
      }
    },
  }

  async function proof(): Promise<string> {
    const { counts, problems } = await verifyLedger(database.owner)
    return `${problems.length === 0 ? 'right' : 'WRONG'} (${counts.transfers} transfers, ${counts.entries} entries)`
  }
}

function profileOf(clerk_id: string) {
  const profile_updated_at = new Date()
  return {
    clerk_id,
    email: `${clerk_id}@tidemark.test`,
    first_name: null,
    last_name: null,
    profile_updated_at,
  }
}

/** Postgres takes connections while it still reads the archive. */
async function untilWritable(postgres: RunningPostgres): Promise<void> {
  const database = connectTestDatabase(postgres.urlOf('tidemark'))
  try {
    await waitUntil(async () => {
      const { rows } = await sql<{ reading: boolean }>`SELECT pg_is_in_recovery() AS reading`.execute(
        database.owner,
      )
      return rows[0]?.reading === false
    }, 'Postgres to have read the archive')
  } finally {
    await database.close()
  }
}

function show(balances: Balances): string {
  return Object.entries(balances)
    .map(([name, credits]) => `${name} ${credits}`)
    .join(', ')
}
