import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { isAlive, waitForDeath } from '../processes/alive.ts'

/** A running Postgres on a data folder: another launcher's, or left behind by a killed one. */
export async function findPostmaster(data: string): Promise<{ pid: number; port: number } | undefined> {
  const file = await readFile(join(data, 'postmaster.pid'), 'utf8').catch(() => '')
  const [pid = 0, , , port = 0] = file.split('\n').map(Number)
  if (pid <= 0 || !isAlive(pid)) return undefined
  return (await isPostgres(pid)) ? { pid, port } : undefined
}

/** Postgres refuses to start while any process has the pid in its file, e.g. after a container crash. */
export async function removeStalePidFile(data: string): Promise<void> {
  if (!(await findPostmaster(data))) await rm(join(data, 'postmaster.pid'), { force: true })
}

async function isPostgres(pid: number): Promise<boolean> {
  if (process.platform !== 'linux') return true
  const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
  return /(^|\/)postgres$/.test(command.split('\0')[0] ?? '')
}

/** Fast shutdown first (sessions end, data is written), then SIGKILL; Postgres recovers from both. */
export async function stopPostmaster(pid: number): Promise<void> {
  for (const [signal, patience_ms] of [
    ['SIGINT', 20_000],
    ['SIGQUIT', 5_000],
    ['SIGKILL', 5_000],
  ] as const) {
    if (!isAlive(pid)) return
    process.kill(pid, signal)
    if (await waitForDeath(pid, patience_ms)) return
  }
}
