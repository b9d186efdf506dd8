export type TestClock = ReturnType<typeof createTestClock>

export function createTestClock() {
  let offsetMs = 0
  let stopped: Date | null = null
  return {
    now: () => stopped ?? new Date(Date.now() + offsetMs),
    advance(milliseconds: number) {
      if (stopped) stopped = new Date(stopped.getTime() + milliseconds)
      else offsetMs += milliseconds
    },
    /** Goes on, so far ahead of the real time. */
    setAhead({ minutes }: { readonly minutes: number }) {
      offsetMs = minutes * 60_000
    },
    stop(at: Date) {
      stopped = at
    },
    reset() {
      offsetMs = 0
      stopped = null
    },
  }
}
