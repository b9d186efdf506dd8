import { changeSettings, settingsOf } from './entities/account.ts'
import type { State } from './state.ts'

export type Clock = {
  nowMs(): number
  /** Stripe's timestamps: whole seconds. */
  now(): number
  /** Forward to a moment; a moment that is past leaves it where it is. */
  moveTo(at_ms: number): void
}

/** The sandbox's time: real time plus an offset that a knob moves forward. `created` and every due date go by it. */
export function createClock(store: State): Clock {
  const nowMs = () => Date.now() + settingsOf(store).clock_offset_ms
  return {
    nowMs,
    now: () => Math.floor(nowMs() / 1000),
    moveTo(at_ms) {
      const milliseconds = at_ms - nowMs()
      if (milliseconds <= 0) return
      changeSettings(store, { clock_offset_ms: settingsOf(store).clock_offset_ms + milliseconds })
    },
  }
}
