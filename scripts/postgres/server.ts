import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { open, readFile } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import type { PostgresBinaries } from './binaries.ts'
import { clusterPaths, postgresEnvironment } from './cluster.ts'
import type { PostgresIdentity } from './identity.ts'
import { removeStalePidFile } from './postmaster.ts'

const patience_ms = 60_000

/** A test that takes base backups or kills Postgres has settings of its own. */
const fastSettings = {
  fsync: 'off',
  full_page_writes: 'off',
  synchronous_commit: 'off',
  wal_level: 'minimal',
  max_wal_senders: 0,
}

export type PostgresServerOptions = {
  readonly folder: string
  readonly binaries: PostgresBinaries
  readonly identity: PostgresIdentity
  readonly port: number
  readonly durable: boolean
  readonly password: string
  readonly settings: Readonly<Record<string, string>>
}

/** After a kill old backends may still hold the shared memory, so the start is retried. */
export async function startPostgresServer(options: PostgresServerOptions): Promise<ChildProcess> {
  const { data, log } = clusterPaths(options.folder)
  const deadline = Date.now() + patience_ms
  for (;;) {
    await removeStalePidFile(data)
    const server = await spawnServer(options)
    if (await acceptsConnections(server, options)) return server
    const output = await readFile(log, 'utf8').catch(() => '')
    const busy = /pre-existing shared memory|is the postmaster.*running|still in use/i.test(output)
    if (!busy || Date.now() > deadline) throw new Error(`Postgres did not start (${log}):\n${tail(output)}`)
    await delay(200)
  }
}

export function postgresUrl(options: { port: number; password: string; database: string }): string {
  return `postgres://postgres:${options.password}@127.0.0.1:${options.port}/${options.database}`
}

/**
 * It listens on the loopback address only and makes no socket file, whose path in a deep clone would be too
 * long. Its own process group keeps Ctrl-C from ending it before the processes that use it. The log is a file
 * and not a pipe, so that it does not fail when its launcher is gone.
 */
async function spawnServer(options: PostgresServerOptions): Promise<ChildProcess> {
  const { data, log } = clusterPaths(options.folder)
  const settings = {
    listen_addresses: '127.0.0.1',
    port: options.port,
    unix_socket_directories: '',
    dynamic_shared_memory_type: 'mmap',
    max_parallel_workers_per_gather: 0,
    logging_collector: 'off',
    log_timezone: 'UTC',
    timezone: 'UTC',
    max_connections: options.durable ? 100 : 200,
    ...(options.durable ? {} : fastSettings),
    ...options.settings,
  }
  const [command = '', ...args] = [
    ...options.identity.prefix,
    options.binaries.postgres,
    '-D',
    data,
    ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
  ]
  const output = await open(log, 'w', 0o600)
  try {
    const server = spawn(command, args, {
      ...options.identity.spawn,
      cwd: '/',
      env: postgresEnvironment(),
      detached: true,
      stdio: ['ignore', output.fd, output.fd],
    })
    await once(server, 'spawn')
    return server
  } finally {
    await output.close()
  }
}

async function acceptsConnections(
  server: ChildProcess,
  { port, password }: PostgresServerOptions,
): Promise<boolean> {
  const deadline = Date.now() + patience_ms
  while (isRunning(server) && Date.now() < deadline) {
    const client = new pg.Client({ connectionString: postgresUrl({ port, password, database: 'postgres' }) })
    client.on('error', () => undefined)
    try {
      await client.connect()
      await client.query('SELECT 1')
      return true
    } catch {
      await delay(50)
    } finally {
      await client.end().catch(() => undefined)
    }
  }
  return false
}

export function isRunning(server: ChildProcess): boolean {
  return server.exitCode === null && server.signalCode === null
}

export async function waitForExit(server: ChildProcess): Promise<void> {
  if (isRunning(server)) await once(server, 'exit')
}

function tail(text: string): string {
  return text.trimEnd().split('\n').slice(-15).join('\n')
}
