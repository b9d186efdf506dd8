import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findFreePort } from '../../../scripts/processes/ports.ts'
import { findProgram } from '../../../scripts/test/tools/find-program.ts'
import { waitUntil } from '../wait-until.ts'

export const pgBouncer = await findProgram(['pgbouncer'])

export interface RunningPgBouncer extends AsyncDisposable {
  readonly url: string
  readonly pid: number
  /** Its clients and its sessions of Postgres are cut, as by `systemctl restart`. */
  restart(): Promise<void>
}

/** A PgBouncer as Debian's package has it, in front of one database. */
export async function startPgBouncer(
  databaseUrl: string,
  poolMode: 'session' | 'transaction',
): Promise<RunningPgBouncer> {
  const { hostname, port, pathname, username, password } = new URL(databaseUrl)
  const folder = await mkdtemp(join(tmpdir(), 'tidemark-pgbouncer-'))
  await chmod(folder, 0o755)
  const listenPort = await findFreePort()
  const file = join(folder, 'pgbouncer.ini')
  const server = `host=${hostname} port=${port} user=${username} password='${decodeURIComponent(password)}'`
  const settings = {
    listen_addr: '127.0.0.1',
    listen_port: listenPort,
    unix_socket_dir: '',
    // Every client has the login of the line above.
    auth_type: 'any',
    pool_mode: poolMode,
    default_pool_size: 60,
    ...(process.getuid?.() === 0 && { user: 'nobody' }),
  }
  const lines = Object.entries(settings).map(([name, value]) => `${name} = ${value}`)
  await writeFile(file, `[databases]\n${pathname.slice(1)} = ${server}\n[pgbouncer]\n${lines.join('\n')}\n`, {
    mode: 0o644,
  })
  let child: ChildProcess
  const start = async () => {
    child = spawn(pgBouncer ?? '', ['-q', file], { stdio: 'ignore' })
    await once(child, 'spawn')
    await waitUntil(() => listens(listenPort), 'PgBouncer to listen')
  }
  const stop = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill('SIGQUIT')
    await once(child, 'exit')
  }
  await start()
  const url = new URL(databaseUrl)
  url.hostname = '127.0.0.1'
  url.port = String(listenPort)
  return {
    url: url.href,
    get pid() {
      return child.pid ?? 0
    },
    async restart() {
      await stop()
      await start()
    },
    async [Symbol.asyncDispose]() {
      await stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
    socket.once('connect', () => socket.destroy())
  })
}
