import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { findFreePort } from '../../processes/ports.ts'
import { installWithApt, whyNoApt } from './apt.ts'
import { findProgram, type Tool } from './find-program.ts'

export type RunningRedis = {
  readonly url: string
  readonly pid: number
  readonly stop: () => Promise<void>
  /** Kills it; after a restart it is empty, like a Redis that lost its data. */
  readonly kill: () => Promise<void>
  readonly restart: () => Promise<void>
}

/**
 * The path of a Redis server, installed when there is none and `install` allows it. From Debian only
 * `redis-tools` is installed, which has the same program under another name: `redis-server` would also start
 * a service on the machine.
 */
export async function findRedis(options: {
  readonly install: boolean
  readonly say: (message: string) => void
}): Promise<Tool> {
  const names = ['redis-server', 'valkey-server', 'redis-check-rdb']
  const present = await findProgram(names)
  if (present) return { found: true, value: present }
  if (!options.install) return { found: false, reason: 'no redis-server is installed' }
  const refusal = await whyNoApt()
  if (refusal) return { found: false, reason: `no redis-server is installed, and ${refusal}` }
  try {
    options.say('installing Redis with apt-get …')
    await installWithApt(['redis-tools'])
  } catch (error) {
    return { found: false, reason: error instanceof Error ? error.message : String(error) }
  }
  const installed = await findProgram(names)
  return installed
    ? { found: true, value: installed }
    : { found: false, reason: 'Debian’s redis-tools has no server program' }
}

/** A Redis without persistence on the loopback address. `settings` are more configuration lines. */
export async function startRedis(options: {
  readonly program: string
  readonly settings?: Readonly<Record<string, string>>
}): Promise<RunningRedis> {
  const port = await findFreePort()
  const folder = await mkdtemp(join(tmpdir(), 'tidemark-redis-'))
  const url = `redis://127.0.0.1:${port}`
  let server = await spawnServer({ ...options, port, folder, url })
  const end = async (signal: NodeJS.Signals) => {
    if (server.exitCode !== null || server.signalCode !== null) return
    server.kill(signal)
    await once(server, 'exit')
  }
  return {
    url,
    get pid() {
      return server.pid ?? 0
    },
    kill: () => end('SIGKILL'),
    restart: async () => {
      await end('SIGTERM')
      server = await spawnServer({ ...options, port, folder, url })
    },
    stop: async () => {
      await end('SIGTERM')
      await rm(folder, { recursive: true, force: true })
    },
  }
}

async function spawnServer(options: {
  readonly program: string
  readonly port: number
  readonly folder: string
  readonly url: string
  readonly settings?: Readonly<Record<string, string>>
}) {
  const settings = {
    port: String(options.port),
    bind: '127.0.0.1',
    dir: options.folder,
    save: '',
    appendonly: 'no',
    'maxmemory-policy': 'noeviction',
    ...options.settings,
  }
  const args = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value])
  const server = spawn(options.program, args, {
    argv0: 'redis-server',
    detached: true,
    stdio: ['ignore', 'ignore', 'ignore'],
  })
  await once(server, 'spawn')
  await waitUntilReady(server, options.url)
  return server
}

async function waitUntilReady(server: ChildProcess, url: string): Promise<void> {
  const deadline = Date.now() + 30_000
  while (server.exitCode === null && Date.now() < deadline) {
    const client = new Redis(url, { lazyConnect: true, retryStrategy: () => null, connectTimeout: 2_000 })
    client.on('error', () => undefined)
    try {
      await client.connect()
      await client.ping()
      return
    } catch {
      await delay(25)
    } finally {
      client.disconnect()
    }
  }
  server.kill('SIGKILL')
  throw new Error('redis-server did not start')
}
