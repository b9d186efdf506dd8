import { setTimeout as delay } from 'node:timers/promises'
import { type Child, describeExit, startChild, waitUntilReady } from '../../scripts/processes/child.ts'
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

export interface MemberOptions {
  readonly name: string
  readonly script: string
  readonly env: NodeJS.ProcessEnv
  /** Part of the line that it logs when it works. */
  readonly readyLine: string
  readonly watchdog: Watchdog
  readonly onLine: (line: string) => void
}

export async function startMember(options: MemberOptions): Promise<Member> {
  const unexpectedExits: string[] = []
  let child: Child
  let isUp = false
  let isStopping = false

  async function start(): Promise<void> {
    while (!isStopping) {
      let isReady = false
      const lastLines: string[] = []
      const started = await startChild({
        name: options.name,
        args: [options.script],
        env: options.env,
        onLine: (line) => {
          options.onLine(line)
          lastLines.splice(0, lastLines.length - 4)
          lastLines.push(line)
          isReady ||= line.includes(options.readyLine)
        },
      })
      child = started
      options.watchdog.watch(started.pid, 0, 'SIGKILL')
      try {
        await waitUntilReady(started, { isReady: async () => isReady, patience_ms: 120_000 })
      } catch (error) {
        if (isStopping) return
        unexpectedExits.push(`${error instanceof Error ? error.message : error}: ${lastLines.join(' | ')}`)
        await started.kill()
        await delay(1000)
        continue
      }
      isUp = true
      void started.exited.then(async (exit) => {
        options.watchdog.forget(started.pid)
        if (!isUp || isStopping || child !== started) return
        isUp = false
        unexpectedExits.push(`${options.name} ended, ${describeExit(exit)}: ${lastLines.join(' | ')}`)
        await start()
      })
      return
    }
  }

  await start()
  return {
    name: options.name,
    get isUp() {
      return isUp
    },
    async kill(pause_ms) {
      isUp = false
      await child.kill('SIGKILL')
      await delay(pause_ms)
      await start()
    },
    unexpectedExits,
    async stop() {
      isStopping = true
      isUp = false
      await child.kill('SIGKILL')
    },
  }
}
