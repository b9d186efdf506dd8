import { setTimeout as delay } from 'node:timers/promises'

/** How far a clock is ahead of the real time, as long as it is followed. */
export type FollowedClock = {
  offsetMs(): number
  stop(): void
}

const PAUSE_MS = 500

/** Follows another sandbox's clock by long polling. Null: the real time. */
export function followClock(url: string | null): FollowedClock {
  const stopping = new AbortController()
  let offsetMs = 0

  async function follow(): Promise<void> {
    let query = ''
    while (!stopping.signal.aborted) {
      try {
        const response = await fetch(`${url}${query}`, { signal: stopping.signal })
        offsetMs = ((await response.json()) as { offset_ms: number }).offset_ms
        query = `?after=${offsetMs}`
      } catch {
        query = ''
        await delay(PAUSE_MS, undefined, { signal: stopping.signal, ref: false }).catch(() => undefined)
      }
    }
  }
  if (url) void follow()
  return { offsetMs: () => offsetMs, stop: () => stopping.abort() }
}
