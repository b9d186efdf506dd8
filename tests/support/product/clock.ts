/** The time that the product goes by. */
export interface TestClock {
  now(): Date
  /** Lets time pass. */
  advance(milliseconds: number): void
  /** Stops at a moment. */
  stop(at: Date): void
  /** Goes by the real time again. */
  reset(): void
}

export function createTestClock(): TestClock {
  let offsetMs = 0
  let stopped: Date | null = null
  return {
    now: () => stopped ?? new Date(Date.now() + offsetMs),
    advance(milliseconds) {
      offsetMs += milliseconds
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
