/** The product's clock. */
export interface TestClock {
  now(): Date
  /** Lets time pass. */
  advance(milliseconds: number): void
  /** Goes on, so far ahead of the real time. */
  setAhead(by: { readonly minutes: number }): void
  /** Stops at a moment. */
  stop(at: Date): void
  /** Returns to the real time. */
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
