import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const replaceable = ['DATABASE_URL', 'REDIS_URL', 'STRIPE_SECRET_KEY', 'CLERK_SECRET_KEY'] as const
const stateFiles = ['sandbox-stripe.db', 'sandbox-stripe-live.db', 'sandbox-clerk.db']

export interface DemoDecision {
  readonly isPlayed: boolean
  /** The database holds a part of a demo that was interrupted: it is to be made anew. */
  readonly startsOver: boolean
  /** The demo is over, whether it succeeded or not, and is not played again. */
  readonly end: () => void
}

/**
 * Decides whether this start plays the demo: only in a data folder that is new, or that holds nothing but a
 * part of the demo, because it was interrupted; and only where everything is replaced, since what is named in
 * the environment is the user's own. What was interrupted is thrown away, even if no demo is wanted now.
 */
export function decideDemo(
  dataDir: string,
  { env, wanted }: { readonly env: Readonly<Record<string, string | undefined>>; readonly wanted: boolean },
): DemoDecision {
  const mark = join(dataDir, 'demo.json')
  const setState = (state: 'begun' | 'over') => writeFileSync(mark, `${JSON.stringify({ state })}\n`)
  const isOurs = env.NODE_ENV !== 'production' && replaceable.every((name) => !env[name])
  const startsOver = isOurs && existsSync(mark) && readFileSync(mark, 'utf8').includes('begun')
  if (startsOver) for (const name of stateFiles) rmSync(join(dataDir, name), { force: true })
  const known = ['demo.json', 'postgres', ...stateFiles]
  const isNew = startsOver || known.every((name) => !existsSync(join(dataDir, name)))
  const isPlayed = wanted && isOurs && isNew
  // Before anything is made, so that an interruption at any moment is seen.
  if (isPlayed) setState('begun')
  return { isPlayed, startsOver, end: () => setState('over') }
}
