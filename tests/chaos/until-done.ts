import { setTimeout as delay } from 'node:timers/promises'

/** Retries calls that are not the product's: a stand-in with faults, or a reused, closed connection. */
export async function untilDone<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await work()
    } catch (error) {
      if (tries >= 60 || error instanceof Refused) throw error
      await delay(Math.min(100 * tries, 1000))
    }
  }
}

/** The stand-in's own answer, which no other try would change. */
export class Refused extends Error {}

/** A knob whose answer is the stand-in's, and not that of a lost connection. */
export function patient<Sandbox extends { knob: Knob; clear: (path: string) => Promise<void> }>(
  sandbox: Sandbox,
): Sandbox {
  const answered = <T>(call: () => Promise<T>) =>
    untilDone(() =>
      call().catch((error: unknown) => {
        // `fetch` throws this when there was no answer.
        if (error instanceof TypeError) throw error
        throw new Refused(error instanceof Error ? error.message : String(error), { cause: error })
      }),
    )
  return {
    ...sandbox,
    knob: <T>(path: string, body?: object) => answered(() => sandbox.knob<T>(path, body)),
    clear: (path: string) => answered(() => sandbox.clear(path)),
  }
}

type Knob = <T = unknown>(path: string, body?: object) => Promise<T>
