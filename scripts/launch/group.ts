import { startChild, waitUntilHealthy } from '../processes/child.ts'
import { type Supervised, supervise } from '../processes/supervise.ts'
import type { Watchdog } from '../processes/watchdog.ts'

export type GroupMember = {
  readonly name: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string | undefined>>
  readonly healthUrl: string
}

/**
 * Starts processes side by side, keeps each of them running, and puts their common end on the stack. When one cannot
 * start, the others are stopped with everything else on that stack.
 */
export async function startGroup(options: {
  readonly members: readonly GroupMember[]
  /** The lower it is, the sooner the watchdog ends them. */
  readonly rank: number
  readonly watchdog: Watchdog
  readonly onLine: (source: string, line: string) => void
  readonly log: (message: string) => void
  readonly running: AsyncDisposableStack
}): Promise<void> {
  const started: Supervised[] = []
  options.running.defer(async () => {
    await Promise.all(started.map((member) => member.stop()))
  })
  const results = await Promise.allSettled(
    options.members.map(async (member) => {
      const start = () => startHealthy(member, options)
      started.push(await supervise({ name: member.name, start, log: options.log }))
    }),
  )
  const failed = results.find((result) => result.status === 'rejected')
  if (failed) throw failed.reason
}

async function startHealthy(
  member: GroupMember,
  options: { rank: number; watchdog: Watchdog; onLine: (source: string, line: string) => void },
) {
  const child = await startChild({
    name: member.name,
    args: member.args,
    env: member.env,
    onLine: (line) => options.onLine(member.name, line),
  })
  options.watchdog.watch(child.pid, options.rank, 'SIGTERM')
  child.exited.then(() => options.watchdog.forget(child.pid))
  try {
    await waitUntilHealthy(child, { url: member.healthUrl })
    return child
  } catch (error) {
    await child.stop({ grace_ms: 2_000 })
    throw error
  }
}
