import { setTimeout as delay } from 'node:timers/promises'

const patience_ms = 60_000

/** Asks until it is so. Throws when it takes too long, or on abort. */
export async function waitFor(
  what: string,
  check: () => Promise<boolean>,
  signal: AbortSignal,
): Promise<void> {
  const deadline = Date.now() + patience_ms
  for (let pause_ms = 5; !(await check()); pause_ms = Math.min(pause_ms * 1.5, 100)) {
    if (Date.now() > deadline) throw new Error(`Waited in vain for ${what}.`)
    await delay(pause_ms, undefined, { signal })
  }
}
