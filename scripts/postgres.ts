import { mkdir } from 'node:fs/promises'
import { resolve } from 'node:path'
import { findPostgresBinaries, type PostgresBinaries } from './postgres/binaries.ts'
import { clusterPaths, ensureCluster, readClusterRecord, writeClusterRecord } from './postgres/cluster.ts'
import { choosePostgresIdentity } from './postgres/identity.ts'
import { findPostmaster, stopPostmaster } from './postgres/postmaster.ts'
import { isRunning, postgresUrl, startPostgresServer, waitForExit } from './postgres/server.ts'
import { isAlive } from './processes/alive.ts'
import { findFreePort, isPortFree } from './processes/ports.ts'

export type PostgresOptions = {
  /** Folder of everything this Postgres keeps; created when missing. */
  readonly dataDir: string
  /** False trades safety at a power cut for speed, and allows many connections: for tests only. */
  readonly durable?: boolean
  /** More settings of postgresql.conf, for this start. */
  readonly settings?: Readonly<Record<string, string>>
  /** Another Postgres than that of the install, with what its `initdb` is told of texts. */
  readonly binaries?: PostgresBinaries
  readonly initdb?: readonly string[]
  /** Called when it exits without having been stopped. */
  readonly onUnexpectedExit?: () => void
}

export type RunningPostgres = {
  /** The superuser's URL of the database `postgres`, on the loopback address. */
  readonly url: string
  readonly port: number
  readonly pid: number
  readonly urlOf: (database: string) => string
  /** Ends sessions and writes everything. */
  readonly stop: () => Promise<void>
  /** Simulates a power cut: the postmaster is gone at once, and its backends follow when they notice. */
  readonly kill: () => Promise<void>
  /** Comes back on the same port and URL, after a stop, a kill or on its own. */
  readonly restart: () => Promise<void>
}

/**
 * Starts the Postgres that comes with the install. One that a killed launcher left behind is stopped first.
 * A caller that may meet the one of a running launcher asks for `runningPostgresUrl` before.
 */
export async function startPostgres(options: PostgresOptions): Promise<RunningPostgres> {
  const folder = resolve(options.dataDir)
  const { data } = clusterPaths(folder)
  await mkdir(folder, { recursive: true })
  const binaries = options.binaries ?? (await findPostgresBinaries())
  const identity = await choosePostgresIdentity(binaries)
  const left = await findPostmaster(data)
  if (left) await stopPostmaster(left.pid)
  const durable = options.durable ?? true
  const cluster = await ensureCluster({ folder, binaries, identity, durable, initdb: options.initdb })
  const port = cluster.port && (await isPortFree(cluster.port)) ? cluster.port : await findFreePort()
  await writeClusterRecord(folder, { password: cluster.password, port, launcher_pid: process.pid })

  let ending = false
  const start = async () => {
    const { password } = cluster
    const { settings = {} } = options
    const server = { folder, binaries, identity, port, durable, password, settings }
    const started = await startPostgresServer(server)
    started.once('exit', () => ending || options.onUnexpectedExit?.())
    ending = false
    return started
  }
  let server = await start()
  const urlOf = (database: string) => postgresUrl({ port, password: cluster.password, database })
  const end = async (signal: 'SIGINT' | 'SIGKILL') => {
    ending = true
    if (signal === 'SIGKILL') {
      server.kill('SIGKILL')
      await waitForExit(server)
    } else if (server.pid && isRunning(server)) {
      await stopPostmaster(server.pid)
      await waitForExit(server)
    }
  }
  return {
    url: urlOf('postgres'),
    port,
    urlOf,
    get pid() {
      return server.pid ?? 0
    },
    stop: () => end('SIGINT'),
    kill: () => end('SIGKILL'),
    restart: async () => {
      await end('SIGINT')
      server = await start()
    },
  }
}

/** The database of the launcher that uses this folder now, so that a second command shares it. */
export async function runningPostgresUrl(dataDir: string, database: string): Promise<string | undefined> {
  const record = await readClusterRecord(dataDir)
  const running = await findPostmaster(clusterPaths(dataDir).data)
  if (!record || !running || !isAlive(record.launcher_pid)) return undefined
  return postgresUrl({ port: running.port, password: record.password, database })
}
