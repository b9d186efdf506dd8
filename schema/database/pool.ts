import type { Duplex } from 'node:stream'
import pg from 'pg'
import { type AnswersOf, prepareMarkedStatements } from './prepared.ts'

/** What a session is set to before its first use, by the names of Postgres' settings. */
export type SessionSettings = Readonly<Record<string, string>>

/**
 * Postgres asks every few seconds whether a client that says nothing is still there, so that the locks of one
 * whose machine is gone are free within half a minute. By default it first asks after two hours.
 */
const keepAliveSettings: SessionSettings = {
  tcp_keepalives_idle: '10',
  tcp_keepalives_interval: '5',
  tcp_keepalives_count: '3',
}

/** The same in the other direction. */
const askAfterMs = 10_000

/** A connection to a peer that has lost its role without saying so is not used for longer. */
const oldest_s = 300

interface PoolOptions extends pg.PoolConfig {
  readonly silence_ms?: number | undefined
  readonly session?: SessionSettings
}

/**
 * A pool whose connections may be lost without ending the process. The pool itself only listens to idle
 * clients: one that is in use when Postgres stops emits an error without a listener, which ends a Node
 * process. The running query is rejected all the same; `onError` is for the log. A connection over which no
 * answer comes for `silence_ms` counts as lost.
 *
 * A session is set up by a statement, not by the startup parameter `options`, which PgBouncer refuses.
 * https://www.pgbouncer.org/config.html#ignore_startup_parameters
 */
export function createPool(
  { silence_ms, session, ...config }: PoolOptions,
  onError: (error: Error) => void,
): pg.Pool {
  const peers: Peers = { replacedAtMs: Number.NEGATIVE_INFINITY, sessions: new Map(), leaving: new WeakSet() }
  const settings = Object.entries({ ...keepAliveSettings, ...session })
  const pool = new pg.Pool({
    keepAlive: true,
    keepAliveInitialDelayMillis: askAfterMs,
    maxLifetimeSeconds: oldest_s,
    ...config,
    onConnect: async (client) => {
      client.on('error', onError)
      leaveLostPeer(client, peers)
      const answers = prepareMarkedStatements(client)
      if (silence_ms !== undefined) giveUpWhenSilent(client, { answers, silence_ms })
      await client.query(
        'SELECT set_config(name, value, false) FROM unnest($1::text[], $2::text[]) AS asked (name, value)',
        [settings.map(([name]) => name), settings.map(([, value]) => value)],
      )
    },
  })
  pool.on('error', onError)
  pool.on('release', (_error, client) => {
    if (peers.leaving.has(client)) void client.end()
  })
  return pool
}

interface Connection {
  readonly stream: Duplex
  on(event: 'errorMessage', listener: (message: { readonly code?: string }) => void): void
  on(event: 'readyForQuery', listener: (message: { readonly status: string }) => void): void
}

function connectionOf(client: pg.ClientBase): Connection {
  return (client as unknown as { readonly connection: Connection }).connection
}

/** What Postgres, or a pooler, says when this connection has ended or is of no use any more. */
const endedStates = /^(08...|57P0[123])$/
/** A write was refused: the peer is a standby now, or its operator has made it read-only. */
const readOnlyState = '25006'
const replaceEveryMs = 4000

interface Peers {
  replacedAtMs: number
  /** Whether a connection is in no transaction and owes no answer. */
  readonly sessions: Map<pg.ClientBase, () => boolean>
  /** Those that end when they are given back. */
  readonly leaving: WeakSet<pg.ClientBase>
}

/**
 * Closes a connection whose peer says that it is ending. A peer that takes no writes has lost its role, and
 * every connection of the pool may lead to it, also one that only listens and so is never told: what is under
 * way comes to its end, and all are made anew, which leads to the peer that has the role now. Where there is
 * none, that happens every few seconds at most.
 */
function leaveLostPeer(client: pg.ClientBase, peers: Peers): void {
  const connection = connectionOf(client)
  let status = 'I'
  connection.on('readyForQuery', (message) => {
    status = message.status
  })
  const { sessions, leaving } = peers
  sessions.set(client, () => status === 'I' && !(client as { _activeQuery?: unknown })._activeQuery)
  client.once('end', () => sessions.delete(client))
  connection.on('errorMessage', ({ code = '' }) => {
    if (endedStates.test(code))
      connection.stream.destroy(new Error(`Connection terminated: Postgres said ${code}`))
    if (code !== readOnlyState) return
    leaving.add(client)
    const now = performance.now()
    if (now - peers.replacedAtMs < replaceEveryMs) return
    peers.replacedAtMs = now
    for (const [other, isQuiet] of sessions) {
      leaving.add(other)
      if (other !== client && isQuiet())
        connectionOf(other).stream.destroy(new Error('Connection terminated: Postgres takes no writes'))
    }
  })
}

const checksPerSilence = 5

/**
 * Closes a connection whose answer is overdue: every caller that waits for it fails as if the connection had
 * been lost. It counts checks, not time, so that a process that was paused first reads what came meanwhile.
 * pg's own `query_timeout` is a timer for each statement, which keeps the statement in
 * memory (decision 158).
 */
function giveUpWhenSilent(
  client: pg.ClientBase,
  { answers, silence_ms }: { readonly answers: AnswersOf; readonly silence_ms: number },
): void {
  const { stream } = connectionOf(client)
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
