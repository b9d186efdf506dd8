import { setTimeout as delay } from 'node:timers/promises'
import { changeSettings, settingsOf } from './entities/account.ts'
import type { Settings } from './settings.ts'
import type { State } from './state.ts'

export type Clock = {
  nowMs(): number
  /** Stripe's timestamps: whole seconds. */
  now(): number
  /** Forward to a moment; a moment that is past leaves it where it is. */
  moveTo(at_ms: number): void
  /** Ends being behind the real time; a clock that is ahead of it stays there. */
  catchUp(): void
  offsetMs(): number
  /** Resolves when it no longer is so far ahead, or after a while. */
  waitUntilMoved(offset_ms: number): Promise<void>
}

const LONGEST_WAIT_MS = 25_000
const COMPARED_EVERY_MS = 20

const DAY_MS = 24 * 60 * 60 * 1000

/**
 * The sandbox's time: real time plus an offset that a knob moves forward. All due dates use it. In a new state
 * it may begin in the past, so that what is tried there has a history that ends now.
 */
export function createClock(store: State, { beginsDaysAgo }: Pick<Settings, 'beginsDaysAgo'>): Clock {
  if (beginsDaysAgo > 0 && !store.settings.get('settings')) {
    changeSettings(store, { clock_offset_ms: -beginsDaysAgo * DAY_MS })
  }
  const offsetMs = () => settingsOf(store).clock_offset_ms
  const nowMs = () => Date.now() + offsetMs()
  return {
    nowMs,
    offsetMs,
    // The offset is part of the state, which a knob can also reset, so it is compared rather than announced.
    async waitUntilMoved(offset_ms) {
      const until_ms = Date.now() + LONGEST_WAIT_MS
      while (offsetMs() === offset_ms && Date.now() < until_ms) {
        await delay(COMPARED_EVERY_MS, undefined, { ref: false })
      }
    },
    now: () => Math.floor(nowMs() / 1000),
    moveTo(at_ms) {
      const milliseconds = at_ms - nowMs()
      if (milliseconds <= 0) return
      changeSettings(store, { clock_offset_ms: settingsOf(store).clock_offset_ms + milliseconds })
    },
    catchUp() {
      if (offsetMs() < 0) changeSettings(store, { clock_offset_ms: 0 })
    },
  }
}
