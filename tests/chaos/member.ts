import { setTimeout as delay } from 'node:timers/promises'
import { type GroupMember, startHealthy } from '../../scripts/launch/group.ts'
import { type Child, describeExit } from '../../scripts/processes/child.ts'
import type { Watchdog } from '../../scripts/processes/watchdog.ts'

/** A process of the product that is restarted whenever it exits. */
export interface Member {
  readonly name: string
  readonly isUp: boolean
  /** kill -9. It is started again after the pause; resolves when it works. */
  kill(pause_ms: number): Promise<void>
  /** How it ended without having been killed, which nothing that happens outside may make it do. */
  readonly unexpectedExits: readonly string[]
  stop(): Promise<void>
}

export async function startMember(
  member: GroupMember,
  { watchdog, onLine }: { readonly watchdog: Watchdog; readonly onLine: (line: string) => void },
): Promise<Member> {
  const { name } = member
  const unexpectedExits: string[] = []
  const lastLines: string[] = []
  let child: Child | undefined
  let isUp = false
  const stopping = new AbortController()
  const starting = {
    rank: 0,
    watchdog,
    signal: stopping.signal,
    onLine: (_: string, line: string) => {
      onLine(line)
      lastLines.splice(0, lastLines.length - 4)
      lastLines.push(line)
    },
  }
  const note = (what: string) => unexpectedExits.push(`${what}: ${lastLines.join(' | ')}`)

  async function start(): Promise<void> {
    while (!stopping.signal.aborted) {
      try {
        const started = await startHealthy(member, starting)
        child = started
        isUp = true
        void started.exited.then(async (exit) => {
          if (!isUp || child !== started) return
          isUp = false
          note(`${name} ended, ${describeExit(exit)}`)
          await start()
        })
        return
      } catch (error) {
        if (stopping.signal.aborted) return
        note(error instanceof Error ? error.message : String(error))
        await delay(1000)
      }
    }
  }

  await start()
  return {
    name,
    get isUp() {
      return isUp
    },
    async kill(pause_ms) {
      isUp = false
      await child?.kill()
      await delay(pause_ms)
      await start()
    },
    unexpectedExits,
    async stop() {
      stopping.abort()
      isUp = false
      await child?.kill()
    },
  }
}
