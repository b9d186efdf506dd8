import type { Duplex } from 'node:stream'
import pg from 'pg'
import { type AnswersOf, prepareMarkedStatements } from './prepared.ts'

/**
 * For a connection's `options`: Postgres asks every few seconds whether a client that says nothing is still
 * there, so that the locks of one whose machine is gone are free within half a minute. By itself it first
 * asks after two hours.
 */
export const watchOptions = '-c tcp_keepalives_idle=10 -c tcp_keepalives_interval=5 -c tcp_keepalives_count=3'

/** The same in the other direction. */
const askAfterMs = 10_000

/**
 * A pool whose connections may be lost without ending the process. The pool itself only listens to idle
 * clients: one that is in use when Postgres stops emits an error without a listener, which ends a Node
 * process. The running query is rejected all the same; `onError` is for the log. A connection over which no
 * answer comes for `silence_ms` counts as lost.
 */
export function createPool(
  { silence_ms, ...config }: pg.PoolConfig & { readonly silence_ms?: number | undefined },
  onError: (error: Error) => void,
): pg.Pool {
  const pool = new pg.Pool({ keepAlive: true, keepAliveInitialDelayMillis: askAfterMs, ...config })
  pool.on('error', onError)
  pool.on('connect', (client) => {
    client.on('error', onError)
    const answers = prepareMarkedStatements(client)
    if (silence_ms !== undefined) giveUpWhenSilent(client, { answers, silence_ms })
  })
  return pool
}

const checksPerSilence = 5

/**
 * Closes a connection whose answer is overdue: every caller that waits for it fails as if the connection had
 * been lost. It counts checks, not time, so that a process that was paused first reads what came meanwhile.
 * pg's own `query_timeout` is a timer for each statement, which keeps the statement in
 * memory (decision 158).
 */
function giveUpWhenSilent(
  client: pg.PoolClient,
  { answers, silence_ms }: { readonly answers: AnswersOf; readonly silence_ms: number },
): void {
  const { stream } = (client as unknown as { readonly connection: { readonly stream: Duplex } }).connection
  let answered = 0
  let looks = 0
  const timer = setInterval(() => {
    looks = answers.unanswered > 0 && answers.answered === answered ? looks + 1 : 0
    answered = answers.answered
    // The first look may have come right after the question.
    if (looks > checksPerSilence) {
      stream.destroy(new Error(`Connection terminated: Postgres gave no answer for ${silence_ms} ms`))
    }
  }, silence_ms / checksPerSilence).unref()
  client.once('end', () => clearInterval(timer))
}
