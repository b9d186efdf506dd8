import { answersWell, type Child, startChild, waitUntilReady } from '../processes/child.ts'
import { type Supervised, supervise } from '../processes/supervise.ts'
import type { Watchdog } from '../processes/watchdog.ts'

export type GroupMember = {
  readonly name: string
  readonly program?: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string | undefined>>
  /** What shows that it is up: an address that answers 2xx, or a line that it writes. */
  readonly ready: { readonly url: string } | { readonly line: string }
}

type GroupOptions = {
  /** The lower it is, the sooner the watchdog ends them. */
  readonly rank: number
  readonly watchdog: Watchdog
  readonly onLine: (source: string, line: string) => void
  readonly log: (message: string) => void
  readonly signal: AbortSignal | undefined
  readonly running: AsyncDisposableStack
}

/** Starts and restarts processes, and pushes their stop on the stack. If one cannot start, all stop. */
export async function startGroup(
  options: GroupOptions & { readonly members: readonly GroupMember[] },
): Promise<readonly Supervised[]> {
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
  return started
}

/** Starts a process, and resolves when it is healthy; ends it when it never becomes so. */
export async function startHealthy(
  member: GroupMember,
  options: Pick<GroupOptions, 'rank' | 'watchdog' | 'onLine' | 'signal'>,
): Promise<Child> {
  const { ready } = member
  let seen = false
  const child = await startChild({
    name: member.name,
    program: member.program,
    args: member.args,
    env: member.env,
    onLine: (line) => {
      if ('line' in ready && line.includes(ready.line)) seen = true
      options.onLine(member.name, line)
    },
  })
  options.watchdog.watch(child.pid, options.rank, 'SIGTERM')
  child.exited.then(() => options.watchdog.forget(child.pid))
  const isReady = async () => ('url' in ready ? await answersWell(ready.url) : seen)
  try {
    await waitUntilReady(child, { isReady, signal: options.signal })
    return child
  } catch (error) {
    await child.stop({ grace_ms: 2_000 })
    throw error
  }
}
