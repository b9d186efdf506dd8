import type { RouterContext } from '@koa/router'
import type { Middleware } from 'koa'
import type { BodyOf, Endpoint, ParamsOf, QueryOf } from '../schema/api/endpoint.ts'
import type { Logger } from '../schema/log.ts'
import { currentSpan, noteInSpan } from '../schema/tracing.ts'
import type { VerifiedToken } from '../schema/vendors/clerk/tokens.ts'
import type { Failure } from './failures.ts'
import type { Network } from './networks.ts'

export interface RequestState {
  request_id: string
  requestLog: RequestLog
  /** Where the request comes from; see networks.ts. */
  network: string
  /** The same with the wider networks around it. */
  networks: readonly Network[]
  /** Set by `authenticate`. */
  user_id?: string
  /** Clerk's session, where the user is signed in. */
  session_id?: string
  /** The session token that was verified. */
  session_token?: string
  /** What it says. */
  verified?: VerifiedToken
  /** Set by `authenticateExtension`. */
  editor_token_id?: string
  /** Set by `authenticateMeter`. */
  operator_key_id?: string
  /** Set by `validate`. */
  params?: unknown
  query?: unknown
  body?: unknown
  /** Set by a route while its handler runs: how errors are reported from then on. */
  failure?: Failure | undefined
  /** Set by a route that OAuth clients call: errors get the fields that those clients read. */
  error_format?: 'oauth'
}

export type AppContext = RouterContext<RequestState>
export type AppMiddleware = Middleware<RequestState, AppContext>

/** What a handler is given: parsed input, and the user's id where the endpoint requires a token. */
export interface RequestOf<E extends Endpoint> {
  /** Of the path. */
  readonly params: ParamsOf<E>
  readonly query: QueryOf<E>
  readonly body: BodyOf<E>
  readonly user_id: E['auth'] extends 'public'
    ? undefined
    : E extends { readonly meters: true }
      ? string | null
      : string
  /** Clerk's session, where the caller is signed in. */
  readonly session_id: string | null
  /** The token of that session; null for other callers. */
  readonly session_token: string | null
  /** What it says. */
  readonly verified: VerifiedToken | null
  /** The id of the long-lived token of an editor; null for other callers. */
  readonly editor_token_id: string | null
  /** The operator's key with which a service calls, for which there is no `user_id`; null for other callers. */
  readonly operator_key_id: string | null
  /** Where an anonymous caller is; see networks.ts. */
  readonly network: string
  readonly requestLog: RequestLog
  /** A UUIDv7 (decision 064); for idempotent endpoints the same in every try of an Idempotency-Key. */
  readonly attempt_id: string
}

/** The request's logger. Noted fields appear on every later line, including the final line of the request. */
export interface RequestLog {
  readonly request_id: string
  readonly log: Logger
  note(fields: Readonly<Record<string, string>>): void
  /** The line that ends the request, with everything that was noted. */
  end(level: 'debug' | 'info', fields: Readonly<Record<string, unknown>>): void
}

export function createRequestLog(base: Logger, request_id: string): RequestLog {
  // A child logger is created on first use: most requests write one line only.
  let noted: Record<string, string> = { request_id }
  let log: Logger | undefined
  return {
    request_id,
    get log() {
      log ??= base.child(noted)
      return log
    },
    note(fields) {
      noted = { ...noted, ...fields }
      log = undefined
      if (currentSpan()) noteInSpan(attributesOf(fields))
    },
    end(level, fields) {
      base[level]({ ...noted, ...fields }, 'Request')
    },
  }
}

/** Traces name events and checkouts; user ids are in the log only. */
const inTraces = ['event_id', 'event_type', 'intent_id', 'session_id', 'error_code']

function attributesOf(fields: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(fields)
      .filter(([name]) => inTraces.includes(name))
      .map(([name, value]) => [`tidemark.${name}`, value]),
  )
}
