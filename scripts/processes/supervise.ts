import { setTimeout as delay } from 'node:timers/promises'
import { type Child, describeExit } from './child.ts'

export type Supervised = {
  readonly name: string
  /** The running process; it changes with a restart. */
  readonly pid: () => number
  readonly stop: () => Promise<void>
}

const firstPause_ms = 500
const longestPause_ms = 30_000
/** A process that ran this long is healthy; its next exit is not counted with earlier ones. */
const healthyAfter_ms = 60_000

/**
 * Keeps one process running until it is stopped: when it exits without having been stopped, it is started
 * again after a pause that doubles. The first start must succeed; a process that cannot start at all is an
 * error and not a loop.
 */
export async function supervise(options: {
  readonly name: string
  /** Starts the process and resolves when it is healthy; ends it itself when it never becomes so. */
  readonly start: () => Promise<Child>
  readonly log: (message: string) => void
}): Promise<Supervised> {
  const stopping = new AbortController()
  let child = await options.start()

  const keepRunning = async () => {
    let pause_ms = firstPause_ms
    while (!stopping.signal.aborted) {
      const started = Date.now()
      const exit = await child.exited
      if (stopping.signal.aborted) return
      if (Date.now() - started > healthyAfter_ms) pause_ms = firstPause_ms
      options.log(
        `${options.name} ended unexpectedly (${describeExit(exit)}); starting it again in ${pause_ms / 1000} s`,
      )
      while (!(await pauseAndStart(pause_ms))) {
        if (stopping.signal.aborted) return
        pause_ms = Math.min(pause_ms * 2, longestPause_ms)
      }
      pause_ms = Math.min(pause_ms * 2, longestPause_ms)
    }
  }
  const pauseAndStart = async (pause_ms: number) => {
    await delay(pause_ms, undefined, { signal: stopping.signal }).catch(() => undefined)
    if (stopping.signal.aborted) return false
    try {
      child = await options.start()
      options.log(`${options.name} runs again`)
      return true
    } catch (error) {
      options.log(error instanceof Error ? error.message : String(error))
      return false
    }
  }
  const done = keepRunning()
  return {
    name: options.name,
    pid: () => child.pid,
    stop: async () => {
      stopping.abort()
      await child.stop()
      await done
      await child.stop()
    },
  }
}
