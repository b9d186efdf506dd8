import { mkdir } from 'node:fs/promises'
import { resolve } from 'node:path'
import { findPostgresBinaries } from './postgres/binaries.ts'
import { clusterPaths, ensureCluster, readClusterRecord, writeClusterRecord } from './postgres/cluster.ts'
import { choosePostgresIdentity, type PostgresIdentity } from './postgres/identity.ts'
import { findPostmaster, stopPostmaster } from './postgres/postmaster.ts'
import { isRunning, postgresUrl, startPostgresServer, waitForExit } from './postgres/server.ts'
import { isAlive } from './processes/alive.ts'
import { findFreePort, isPortFree } from './processes/ports.ts'

export type PostgresOptions = {
  /** Folder of everything this Postgres keeps; created when missing. */
  readonly dataDir: string
  /** Without it the port of the last run when it is free, else any free one. */
  readonly port?: number
  /** False trades safety at a power cut for speed, and allows many connections: for tests only. */
  readonly durable?: boolean
  /** More settings of postgresql.conf, for this start. */
  readonly settings?: Readonly<Record<string, string>>
  /** Called when it exits without having been stopped. */
  readonly onUnexpectedExit?: () => void
}

export type RunningPostgres = {
  /** The superuser's URL of the database `postgres`, on the loopback address. */
  readonly url: string
  readonly port: number
  readonly pid: number
  readonly identity: PostgresIdentity['name'] | 'shared'
  readonly urlOf: (database: string) => string
  /** Ends sessions and writes everything; does nothing when the database belongs to another launcher. */
  readonly stop: () => Promise<void>
  /** Simulates a power cut: the postmaster is gone at once, and its backends follow when they notice. */
  readonly kill: () => Promise<void>
  /** Comes back on the same port and URL, after a stop, a kill or on its own. */
  readonly restart: () => Promise<void>
}

/**
 * Starts the Postgres that comes with the install. One that a killed launcher left behind is stopped first;
 * one that a running launcher uses is shared, so that a second command in the same clone does not stop it.
 */
export async function startPostgres(options: PostgresOptions): Promise<RunningPostgres> {
  const folder = resolve(options.dataDir)
  const { data } = clusterPaths(folder)
  const shared = await shareRunning(folder)
  if (shared) return shared

  await mkdir(folder, { recursive: true })
  const binaries = await findPostgresBinaries()
  const identity = await choosePostgresIdentity({ binaries, dataDir: data })
  const left = await findPostmaster(data)
  if (left) await stopPostmaster(left.pid)
  const durable = options.durable ?? true
  const cluster = await ensureCluster({ folder, binaries, identity, durable })
  const port = options.port ?? (await choosePort(cluster.port))
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
    ...addressOf(port, cluster.password),
    get pid() {
      return server.pid ?? 0
    },
    identity: identity.name,
    stop: () => end('SIGINT'),
    kill: () => end('SIGKILL'),
    restart: async () => {
      await end('SIGINT')
      server = await start()
    },
  }
}

function addressOf(port: number, password: string) {
  const urlOf = (database: string) => postgresUrl({ port, password, database })
  return { url: urlOf('postgres'), port, urlOf }
}

async function shareRunning(folder: string): Promise<RunningPostgres | undefined> {
  const record = await readClusterRecord(folder)
  const running = await findPostmaster(clusterPaths(folder).data)
  if (!record || !running) return undefined
  if (record.launcher_pid === process.pid || !isAlive(record.launcher_pid)) return undefined
  const refuse = async () => {
    throw new Error(`The Postgres in ${folder} belongs to process ${record.launcher_pid}`)
  }
  return {
    ...addressOf(running.port, record.password),
    pid: running.pid,
    identity: 'shared',
    stop: async () => undefined,
    kill: refuse,
    restart: refuse,
  }
}

async function choosePort(last: number | undefined): Promise<number> {
  return last && (await isPortFree(last)) ? last : findFreePort()
}
