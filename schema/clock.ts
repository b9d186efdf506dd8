import { setTimeout as delay } from 'node:timers/promises'
import { z } from 'zod'
import type { Environment } from './env.ts'

export interface Clock {
  readonly now: () => Date
  /** Settled when the first time is known, or cannot be had at the moment. */
  readonly ready: Promise<void>
  stop(): void
}

/** The knob answers after this long at the latest; the other end may be a process that hangs. */
const longestAnswerMs = 60_000
const pauseAfterFailureMs = 500
const answerSchema = z.object({ offset_ms: z.number() })

/**
 * The real time; with the Stripe sandbox that one's clock, so that moving it forward by 45 days shows what 45
 * days bring. In production there is no sandbox but in a rehearsal, and the real time whatever the environment says.
 */
export function openClock(
  env: Pick<Environment, 'NODE_ENV' | 'STRIPE_API_BASE'> & Partial<Pick<Environment, 'REHEARSAL_VENDORS'>>,
): Clock {
  const isReal = env.NODE_ENV === 'production' && env.REHEARSAL_VENDORS === undefined
  if (isReal || env.STRIPE_API_BASE === undefined) {
    return { now: () => new Date(), ready: Promise.resolve(), stop: () => undefined }
  }
  return followClock(new URL('/_sandbox/clock', env.STRIPE_API_BASE))
}

/**
 * Asks how far the sandbox is ahead, and then waits for the answer that it has moved. While it is away, its
 * last time goes on.
 */
function followClock(url: URL): Clock {
  const stopping = new AbortController()
  const { promise: ready, resolve: setReady } = Promise.withResolvers<void>()
  let offsetMs = 0

  async function ask(query: string): Promise<'answered' | 'no_clock'> {
    const signal = AbortSignal.any([stopping.signal, AbortSignal.timeout(longestAnswerMs)])
    const response = await fetch(`${url}${query}`, { signal })
    if (response.status === 404) return 'no_clock'
    offsetMs = answerSchema.parse(await response.json()).offset_ms
    return 'answered'
  }

  async function follow(): Promise<void> {
    let query = ''
    while (!stopping.signal.aborted) {
      try {
        if ((await ask(query)) === 'no_clock') return
        query = `?after=${offsetMs}`
      } catch {
        query = ''
        await delay(pauseAfterFailureMs, undefined, { signal: stopping.signal }).catch(() => undefined)
      } finally {
        setReady()
      }
    }
  }
  void follow()
  return {
    now: () => new Date(Date.now() + offsetMs),
    ready,
    stop: () => stopping.abort(),
  }
}
