import { join } from 'node:path'
import pg from 'pg'
import { launcherData } from './launch/stand-ins.ts'
import { runningPostgresUrl, startPostgres } from './postgres.ts'
import type { Watchdog } from './processes/watchdog.ts'

const databaseName = 'tidemark'

/** Runs work on the database of `npm start`, starting the embedded Postgres if necessary. */
export async function withDatabase<T>(
  work: (url: string) => Promise<T>,
  raw: Readonly<Record<string, string | undefined>> = process.env,
): Promise<T> {
  if (raw.DATABASE_URL) return await work(raw.DATABASE_URL)
  if (raw.NODE_ENV === 'production') throw new Error('DATABASE_URL is missing.')
  const dataDir = join(launcherData, 'postgres')
  const running = await runningPostgresUrl(dataDir, databaseName)
  if (running) return await work(running)
  const postgres = await startPostgres({ dataDir })
  try {
    await createDatabase({ adminUrl: postgres.url, name: databaseName })
    return await work(postgres.urlOf(databaseName))
  } finally {
    await postgres.stop()
  }
}

/** Starts the embedded Postgres for the launcher, which starts it again when it exits by itself. */
export async function openDatabase(options: {
  readonly dataDir: string
  /** Throws away what the database holds. */
  readonly startsOver?: boolean
  readonly watchdog: Watchdog
  readonly say: (message: string) => void
  readonly running: AsyncDisposableStack
}): Promise<{ url: string; embedded: true }> {
  const { watchdog, say } = options
  const postgres = await startPostgres({
    dataDir: join(options.dataDir, 'postgres'),
    onUnexpectedExit: () => {
      say('Postgres ended unexpectedly; starting it again')
      postgres.restart().then(
        () => {
          say('Postgres runs again')
          watchdog.watch(postgres.pid, 2, 'SIGINT')
        },
        (error: Error) => say(`Postgres could not be started again: ${error.message}`),
      )
    },
  })
  watchdog.watch(postgres.pid, 2, 'SIGINT')
  options.running.defer(async () => {
    await postgres.stop()
    watchdog.forget(postgres.pid)
  })
  await createDatabase({
    adminUrl: postgres.url,
    name: databaseName,
    startsOver: options.startsOver ?? false,
  })
  return { url: postgres.urlOf(databaseName), embedded: true }
}

export async function createDatabase(options: {
  readonly adminUrl: string
  readonly name: string
  readonly startsOver?: boolean
}): Promise<void> {
  const client = new pg.Client({ connectionString: options.adminUrl })
  await client.connect()
  try {
    if (options.startsOver) {
      await client.query(`DROP DATABASE IF EXISTS ${client.escapeIdentifier(options.name)} WITH (FORCE)`)
    }
    const { rowCount } = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [options.name])
    if (rowCount === 0) await client.query(`CREATE DATABASE ${client.escapeIdentifier(options.name)}`)
  } finally {
    await client.end()
  }
}
