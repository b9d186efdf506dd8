export interface TestClock {
  now(): Date
  advance(milliseconds: number): void
  /** Goes on, so far ahead of the real time. */
  setAhead(by: { readonly minutes: number }): void
  stop(at: Date): void
  reset(): void
}

export function createTestClock(): TestClock {
  let offsetMs = 0
  let stopped: Date | null = null
  return {
    now: () => stopped ?? new Date(Date.now() + offsetMs),
    advance(milliseconds) {
      if (stopped) stopped = new Date(stopped.getTime() + milliseconds)
      else offsetMs += milliseconds
    },
    setAhead({ minutes }) {
      offsetMs = minutes * 60_000
    },
    stop(at) {
      stopped = at
    },
    reset() {
      offsetMs = 0
      stopped = null
    },
  }
}
