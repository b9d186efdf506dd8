import { spawn } from 'node:child_process'
import { join } from 'node:path'

export type Watchdog = {
  /** Processes that must not outlive the launcher, ended by `rank`, lowest first. */
  readonly watch: (pid: number, rank: number, signal: NodeJS.Signals) => void
  readonly forget: (pid: number) => void
  readonly close: () => void
}

/**
 * Ends what the launcher started when the launcher itself is killed and can no longer do so. A small process
 * holds the other end of a pipe: the system closes it when the launcher exits, for whatever reason.
 */
export function startWatchdog(): Watchdog {
  const script = join(import.meta.dirname, 'watchdog-process.ts')
  const dog = spawn(process.execPath, ['--max-old-space-size=32', script], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
    env: { PATH: process.env.PATH },
  })
  dog.unref()
  dog.stdin.on('error', () => undefined)
  const send = (message: WatchdogMessage) => dog.stdin.write(`${JSON.stringify(message)}\n`)
  return {
    watch: (pid, rank, signal) => send({ pid, rank, signal }),
    forget: (pid) => send({ pid }),
    close: () => dog.stdin.end(),
  }
}

export type WatchdogMessage = {
  readonly pid: number
  readonly rank?: number
  readonly signal?: NodeJS.Signals
}
