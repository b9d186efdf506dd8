import { createInterface } from 'node:readline'
import { isAlive, waitForDeath } from './alive.ts'
import type { WatchdogMessage } from './watchdog.ts'

const patience_ms = 15_000
const watched = new Map<number, { rank: number; signal: NodeJS.Signals }>()

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined)

for await (const line of createInterface({ input: process.stdin })) {
  const { pid, rank, signal } = JSON.parse(line) as WatchdogMessage
  if (rank !== undefined && signal) watched.set(pid, { rank, signal })
  else watched.delete(pid)
}

/** The pipe is closed: the launcher is gone, or has already stopped everything itself. */
const ranks = [...new Set([...watched.values()].map(({ rank }) => rank))].sort((a, b) => a - b)
for (const rank of ranks) {
  const group = [...watched].filter(([, entry]) => entry.rank === rank)
  await Promise.all(group.map(([pid, { signal }]) => end(pid, signal)))
}

async function end(pid: number, signal: NodeJS.Signals): Promise<void> {
  if (!isAlive(pid)) return
  signalGroup(pid, signal)
  if (!(await waitForDeath(pid, patience_ms))) signalGroup(pid, 'SIGKILL')
}

/** Everything the launcher starts leads a process group. */
function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(process.platform === 'win32' ? pid : -pid, signal)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}
